// The runs of late, by module and inputs: an input that is repeated is answered without a run, by the same
// results and the same claim. Nothing but these two decides what a run gives.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/hash/digest.h"
#include "server/node/served_run.h"

namespace tally::server {

// May be used by many threads at once.
class RunCache {
 public:
  explicit RunCache(int64_t most_bytes) : most_bytes_(most_bytes) {}

  using Key = std::pair<Digest, Digest>;  // the id of the module, and the io-map of the inputs

  // Null where there is none.
  std::shared_ptr<const ServedRun> Find(const Key& key);
  // Replaces what is there; those that were not asked for the longest go.
  void Add(const Key& key, std::shared_ptr<const ServedRun> run);

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const ServedRun> run;
  };

  const int64_t most_bytes_;
  std::mutex mutex_;
  int64_t bytes_ = 0;
  std::list<Entry> entries_;  // the last that was asked for first
  std::map<Key, std::list<Entry>::iterator> places_;
};

}  // namespace tally::server
