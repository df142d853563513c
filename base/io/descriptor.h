// An open file, closed once.
#pragma once

#include <unistd.h>

#include <utility>

namespace tally::internal {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return fd_; }  // negative: it was not opened, errno says why

  // False when the system reports a delayed write error; the descriptor is gone either way.
  bool Close() { return fd_ < 0 || close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

}  // namespace tally::internal
