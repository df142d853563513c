// How many bytes of requests a server holds at once, so that many large ones do not exhaust the machine.
#pragma once

#include <atomic>
#include <cstdint>

namespace tally::server {

class ByteBudget {
 public:
  explicit ByteBudget(int64_t bytes) : left_(bytes) {}

  bool Take(int64_t bytes) {
    if (left_.fetch_sub(bytes, std::memory_order_relaxed) >= bytes) return true;
    Return(bytes);
    return false;
  }
  void Return(int64_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> left_;
};

}  // namespace tally::server
