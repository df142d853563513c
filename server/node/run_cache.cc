#include "server/node/run_cache.h"

namespace tally::server {

std::shared_ptr<const ServedRun> RunCache::Find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->run;
}

void RunCache::Add(const Key& key, std::shared_ptr<const ServedRun> run) {
  const int64_t size = run->size_bytes();
  const std::lock_guard lock(mutex_);
  const auto drop = [&](std::list<Entry>::iterator entry) {
    bytes_ -= entry->run->size_bytes();
    places_.erase(entry->key);
    entries_.erase(entry);
  };
  if (const auto place = places_.find(key); place != places_.end()) drop(place->second);
  if (size > most_bytes_) return;
  while (bytes_ + size > most_bytes_) drop(std::prev(entries_.end()));
  bytes_ += size;
  entries_.push_front({key, std::move(run)});
  places_.emplace(key, entries_.begin());
}

}  // namespace tally::server
