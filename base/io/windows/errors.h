// Strings and errors of Windows in the words of the C library.
#pragma once

#include <windows.h>

#include <cerrno>
#include <string>

namespace tally::windows {

// UTF-8 as Windows' own functions take it; "" where it is not UTF-8.
inline std::wstring Wide(const std::string& text) {
  const int bytes = static_cast<int>(text.size());
  const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, wide.data(), size);
  return wide;
}

// Sets errno to the last error of Windows, for messages and for callers that ask for EEXIST. Returns false.
inline bool Failed() {
  switch (GetLastError()) {
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: errno = EACCES; break;
    case ERROR_HANDLE_DISK_FULL:
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_COMMITMENT_LIMIT: errno = ENOMEM; break;
    case ERROR_INVALID_HANDLE: errno = EBADF; break;
    default: errno = EIO;
  }
  return false;
}

}  // namespace tally::windows
