#include "base/io/staging_folder.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After windows.h, on which they depend.
#include <ntsecapi.h>
#include <sddl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/io/staging_name.h"
#include "base/io/windows/errors.h"
#include "base/labels.h"
#include "base/strings.h"

namespace tally::internal {
namespace {

namespace fs = std::filesystem;

// A file that nobody else opens, and that goes with its process: the lock of a folder.
constexpr char kLock[] = "lock";

HANDLE CreateNew(const std::string& path, DWORD access, DWORD flags, SECURITY_ATTRIBUTES* security) {
  return CreateFileW(windows::Wide(path).c_str(), access, 0, security, CREATE_NEW, flags, nullptr);
}

// The security identifier of this process's user, "S-1-5-21-..."; "" where Windows does not say it.
std::wstring User() {
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return {};
  alignas(TOKEN_USER) std::array<uint8_t, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> user;
  DWORD size = 0;
  wchar_t* text = nullptr;
  std::wstring name;
  if (GetTokenInformation(token, TokenUser, user.data(), user.size(), &size) != 0 &&
      ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid, &text) != 0) {
    name = text;
    LocalFree(text);
  }
  CloseHandle(token);
  return name;
}

// Who may use a new file: as the folder says, or its owner alone.
class Security {
 public:
  explicit Security(bool owner_alone) : is_wanted_(owner_alone) {
    if (!is_wanted_) return;
    const std::wstring user = User();
    std::wstring list = L"D:P(A;;FA;;;";  // protected from the folder's; full access
    list += user + L")";
    is_made_ =
        !user.empty() && ConvertStringSecurityDescriptorToSecurityDescriptorW(
                             list.c_str(), SDDL_REVISION_1, &attributes_.lpSecurityDescriptor, nullptr) != 0;
  }
  ~Security() { LocalFree(attributes_.lpSecurityDescriptor); }
  Security(const Security&) = delete;
  Security& operator=(const Security&) = delete;

  bool ok() const { return is_made_ || !is_wanted_; }
  SECURITY_ATTRIBUTES* get() { return is_wanted_ ? &attributes_ : nullptr; }

 private:
  bool is_wanted_, is_made_ = false;
  SECURITY_ATTRIBUTES attributes_ = {sizeof(SECURITY_ATTRIBUTES), nullptr, FALSE};
};

bool WriteAll(HANDLE file, std::span<const uint8_t> bytes) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  while (!bytes.empty()) {
    DWORD written = 0;
    if (::WriteFile(file, bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kMostAtOnce)), &written,
                    nullptr) == 0)
      return false;
    bytes = bytes.subspan(written);
  }
  return true;
}

// Removes the files in the folder and then the folder, unless it holds folders: those are not ours.
void Remove(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(windows::Wide(path)), error), end; !error && entry != end;
       entry.increment(error)) {
    DeleteFileW(entry->path().c_str());
  }
  RemoveDirectoryW(windows::Wide(path).c_str());
}

bool MoveTo(const std::string& from, const std::string& to, DWORD flags) {
  return MoveFileExW(windows::Wide(from).c_str(), windows::Wide(to).c_str(),
                     flags | MOVEFILE_WRITE_THROUGH) != 0 ||
         windows::Failed();
}

}  // namespace

absl::StatusOr<StagingFolder> StagingFolder::Create(const std::string& parent) {
  // Another process may take a new folder for a stale one and remove it before it has its lock.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    uint64_t number = 0;
    RtlGenRandom(&number, sizeof number);
    std::string path = parent + "/" + StagingName(number);
    if (CreateDirectoryW(windows::Wide(path).c_str(), nullptr) == 0) {
      if (GetLastError() == ERROR_ALREADY_EXISTS) continue;
      windows::Failed();
      break;
    }
    const HANDLE lock = CreateNew(path + "/" + kLock, DELETE, FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (lock == INVALID_HANDLE_VALUE) {
      if (GetLastError() == ERROR_PATH_NOT_FOUND) continue;
      windows::Failed();
      RemoveDirectoryW(windows::Wide(path).c_str());
      break;
    }
    return StagingFolder(std::move(path),
                         Descriptor(_open_osfhandle(reinterpret_cast<intptr_t>(lock), _O_NOINHERIT)));
  }
  return MakeError(label::file_write, absl::StrCat("cannot write in ", parent, ": ", std::strerror(errno)));
}

StagingFolder::~StagingFolder() {
  if (descriptor_.get() < 0) return;
  descriptor_.Close();
  Remove(path_);
}

bool StagingFolder::Write(const std::string& name, std::span<const uint8_t> bytes, bool owner_alone) const {
  Security security(owner_alone);
  const HANDLE file =
      security.ok() ? CreateNew(path_ + "/" + name, GENERIC_WRITE, FILE_ATTRIBUTE_NORMAL, security.get())
                    : INVALID_HANDLE_VALUE;
  if (file == INVALID_HANDLE_VALUE) return windows::Failed();
  const bool written = (WriteAll(file, bytes) && FlushFileBuffers(file) != 0) || windows::Failed();
  return CloseHandle(file) != 0 && written;
}

bool StagingFolder::Move(const std::string& name, const std::string& target) const {
  return MoveTo(path_ + "/" + name, target, MOVEFILE_REPLACE_EXISTING);
}

bool StagingFolder::MoveToFree(const std::string& name, const std::string& target) const {
  return MoveTo(path_ + "/" + name, target, 0);
}

void RemoveStaleStaging(const std::string& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(windows::Wide(parent)), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!IsStagingName(name) || !fs::is_directory(entry->symlink_status())) continue;
    const std::string path = parent + "/" + name;
    // The lock cannot be deleted while its process lives, and is gone after it.
    if (DeleteFileW(windows::Wide(path + "/" + kLock).c_str()) != 0 || GetLastError() == ERROR_FILE_NOT_FOUND)
      Remove(path);
  }
}

}  // namespace tally::internal
