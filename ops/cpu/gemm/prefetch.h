// Weights on their way into the second-level cache while a kernel computes with those before them.
#pragma once

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Panels that are visited together are brought while those before them are computed, and the weights of the
// step that follows after the last ones: some lines in each step of a block.
class WeightPrefetch {
 public:
  static constexpr int64_t kLine = 64;
  static constexpr int kSecondLevel = 2;  // GCC's number of that cache

  // Blocks have `tiles_at_once` tiles and take `block_steps` steps each.
  WeightPrefetch(const GemmArgs& c, int64_t tiles_at_once, int64_t block_steps)
      : c_(c), panel_steps_((c.tile_end - c.tile_begin + tiles_at_once - 1) / tiles_at_once * block_steps) {}

  // Before each block.
  void Visit(int64_t panel) {
    const int64_t first = panel - (panel - c_.panel_begin) % c_.panels_at_once;
    if (first == first_) return;
    first_ = first;
    const int64_t next = first + c_.panels_at_once, left = c_.panel_end - next;
    if (left > 0) {
      Bring(c_.weights + next * c_.panel_bytes(),
            (left < c_.panels_at_once ? left : c_.panels_at_once) * c_.panel_bytes(),
            panel_steps_ * c_.panels_at_once);
    } else {
      Bring(c_.next, c_.next_bytes, panel_steps_ * (c_.panel_end - first));
    }
  }

  // The lines that are left to bring, where a loop can hold them in registers.
  struct Lines {
    const char *at, *end;
    int64_t per_step;

    TALLY_INLINE void Step() {
      for (int64_t i = 0; i < per_step && at < end; ++i, at += kLine) __builtin_prefetch(at, 0, kSecondLevel);
    }
  };
  Lines StartBlock() const { return {at_, end_, lines_per_step_}; }
  void EndBlock(const Lines& lines) { at_ = lines.at; }

  void Step() {
    Lines lines = StartBlock();
    lines.Step();
    EndBlock(lines);
  }

 private:
  void Bring(const uint8_t* at, int64_t bytes, int64_t steps) {
    at_ = reinterpret_cast<const char*>(at);
    end_ = at_ + bytes;
    lines_per_step_ = (bytes / kLine + steps - 1) / steps;
  }

  const GemmArgs& c_;
  const int64_t panel_steps_;
  int64_t first_ = -1;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int64_t lines_per_step_ = 0;
};

}  // namespace
}  // namespace tally
