#include "server/access/rate_limit.h"

#include <algorithm>

namespace tally::server {
namespace {

// Buckets that are full say nothing, and are dropped where there are more than so many.
constexpr size_t kMostBuckets = 10'000;
constexpr std::chrono::seconds kBetweenDrops(1);

}  // namespace

bool RateLimit::Take(const std::string& client, Time now) {
  if (per_second_ == 0) return true;
  const double most = std::max(per_second_, 1.0);
  const std::lock_guard lock(mutex_);
  const auto fill = [&](Bucket& bucket) {
    const std::chrono::duration<double> passed = now - bucket.filled;
    bucket.requests = std::min(most, bucket.requests + passed.count() * per_second_);
    bucket.filled = now;
  };
  if (buckets_.size() > kMostBuckets && now - dropped_ >= kBetweenDrops) {
    dropped_ = now;
    for (auto entry = buckets_.begin(); entry != buckets_.end();) {
      fill(entry->second);
      entry = entry->second.requests >= most ? buckets_.erase(entry) : std::next(entry);
    }
  }
  if (buckets_.size() > 2 * kMostBuckets) return false;  // so many clients are one attacker
  Bucket& bucket = buckets_.try_emplace(client, Bucket{most, now}).first->second;
  fill(bucket);
  if (bucket.requests < 1) return false;
  bucket.requests -= 1;
  return true;
}

}  // namespace tally::server
