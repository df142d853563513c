// The order in which a kernel visits the tiles and panels of its share.
#pragma once

#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Calls block(tile, tiles, panel) for groups of up to `tiles_at_once` tiles.
template <typename Block>
__attribute__((always_inline)) inline void ForEachTile(const GemmArgs& c, int64_t tiles_at_once,
                                                       Block block) {
  const auto line = [&](int64_t tile, int64_t panel) __attribute__((always_inline)) {
    const int64_t left = c.tile_end - tile;
    block(tile, left < tiles_at_once ? left : tiles_at_once, panel);
  };
  for (int64_t first = c.panel_begin; first < c.panel_end; first += c.panels_at_once) {
    const int64_t end = first + c.panels_at_once < c.panel_end ? first + c.panels_at_once : c.panel_end;
    for (int64_t tile = c.tile_begin; tile < c.tile_end; tile += tiles_at_once) {
      for (int64_t panel = first; panel < end; ++panel) line(tile, panel);
    }
  }
}

}  // namespace
}  // namespace tally
