// Where a plan keeps the buffers that its steps read and write.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/memory_planner.h"

namespace tally {

class ArenaLayout {
 public:
  struct Placed {
    size_t buffer = 0;
    int64_t offset = 0;  // a multiple of kBufferAlignment
  };

  explicit ArenaLayout(size_t num_buffers);

  // At `step` the buffer holds what is needed.
  void Use(size_t buffer, int32_t step);
  bool IsUsed(size_t buffer) const { return lifetimes_[buffer].last >= 0; }

  // The used buffer is in the arena.
  void Add(size_t buffer, int64_t size_bytes);

  // All that were added, and into `arena_bytes` what they need.
  std::vector<Placed> Place(int64_t& arena_bytes) const;

 private:
  std::vector<BufferRequest> lifetimes_;  // without sizes
  std::vector<size_t> added_;
  std::vector<BufferRequest> requests_;  // for those
};

}  // namespace tally
