// Calls of the system on files that differ between POSIX (file_calls.cc) and Windows (windows/file_calls.cc).
//
// Paths are UTF-8 on both. Where a call fails, errno says why.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tally {

// A descriptor to read binary data from, which child processes do not get. Opening waits for nothing.
// Negative: it failed.
int OpenToRead(const std::string& path);

// Another descriptor of the same open file, which child processes do not get. Negative: it failed.
int DuplicateDescriptor(int fd);

// As pread(): how many bytes were read from `offset` on, 0 at the end of the file. Negative: it failed.
ssize_t ReadAtOffset(int fd, void* to, size_t size, uint64_t offset);

// `size` > 0 bytes of an open file as memory that outlives the descriptor. nullptr: it failed.
const uint8_t* MapFile(int fd, size_t size);
void UnmapFile(const uint8_t* bytes, size_t size);

// The pages that are wholly in this part of a mapping leave memory, and are read again when they are used.
void ForgetPages(const uint8_t* part, size_t size);

// A file of no folder that lasts until the process ends. fd is negative: it failed.
struct NamelessFile {
  int fd;
  std::string path;  // by which this process opens it
};
NamelessFile OpenNamelessFile();

// New names in `folder` survive a power cut. Some file systems cannot promise that: files are whole all the
// same.
void SyncFolder(const std::string& folder);

}  // namespace tally
