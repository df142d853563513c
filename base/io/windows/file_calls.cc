#include "base/io/file_calls.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <filesystem>

#include "base/io/windows/errors.h"

namespace tally {
namespace {

HANDLE HandleOf(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

// Takes the handle. Negative where there is none.
int DescriptorOf(HANDLE file, int access) {
  if (file == INVALID_HANDLE_VALUE) {
    windows::Failed();
    return -1;
  }
  const int fd = _open_osfhandle(reinterpret_cast<intptr_t>(file), access | _O_BINARY | _O_NOINHERIT);
  if (fd < 0) CloseHandle(file);
  return fd;
}

}  // namespace

int OpenToRead(const std::string& path) {
  const std::wstring wide = windows::Wide(path);
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    errno = EISDIR;
    return -1;
  }
  // Others may replace the file meanwhile, as they may on POSIX.
  const HANDLE file =
      CreateFileW(wide.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  return DescriptorOf(file, _O_RDONLY);
}

int DuplicateDescriptor(int fd) {
  const HANDLE process = GetCurrentProcess();
  HANDLE copy = nullptr;
  const bool copied =
      DuplicateHandle(process, HandleOf(fd), process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS) != 0;
  return DescriptorOf(copied ? copy : INVALID_HANDLE_VALUE, _O_RDONLY);
}

ssize_t ReadAtOffset(int fd, void* to, size_t size, uint64_t offset) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD read = 0;
  if (::ReadFile(HandleOf(fd), to, static_cast<DWORD>(std::min(size, kMostAtOnce)), &read, &place) == 0 &&
      GetLastError() != ERROR_HANDLE_EOF) {
    windows::Failed();
    return -1;
  }
  return static_cast<ssize_t>(read);
}

const uint8_t* MapFile(int fd, size_t size) {
  const HANDLE mapping = CreateFileMappingW(HandleOf(fd), nullptr, PAGE_READONLY, 0, 0, nullptr);
  const void* const bytes = mapping == nullptr ? nullptr : MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  if (bytes == nullptr) windows::Failed();
  if (mapping != nullptr) CloseHandle(mapping);  // the view keeps it
  return static_cast<const uint8_t*>(bytes);
}

void UnmapFile(const uint8_t* bytes, size_t) { UnmapViewOfFile(bytes); }

// Pages that are not locked leave the working set when they are unlocked.
void ForgetPages(const uint8_t* part, size_t size) { VirtualUnlock(const_cast<uint8_t*>(part), size); }

// Windows has no files without a folder: it goes when the process ends, however that is.
NamelessFile OpenNamelessFile() {
  wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
  if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"tly", 0, path) == 0) {
    windows::Failed();
    return {-1, ""};
  }
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, kShared, nullptr, TRUNCATE_EXISTING,
                                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  return {DescriptorOf(file, _O_RDWR), std::filesystem::path(path).string()};
}

void SyncFolder(const std::string&) {}  // files are moved with MOVEFILE_WRITE_THROUGH

}  // namespace tally
