// How many requests a client may make in a second: a bucket for each, which fills at that rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tally::server {

// May be used by many threads at once.
class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // 0: no limit. As many as that may come at once.
  explicit RateLimit(double per_second) : per_second_(per_second) {}

  // Takes one from the client's bucket, where there is one.
  bool Take(const std::string& client, Time now);

 private:
  struct Bucket {
    double requests;
    Time filled;
  };

  const double per_second_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  Time dropped_;  // when full buckets were looked for last
};

}  // namespace tally::server
