#include "ops/linear/bytes_cuda.h"

#include "base/int_math.h"
#include "base/storage.h"

namespace tally::cuda {
namespace {

constexpr int64_t kMostBlocksAlongYZ = 65535;
// Where there are fewer large tiles than this, small ones fill more of a device.
constexpr int64_t kManyBlocks = 128;

template <typename Tile>
LaunchShape ShapeOf(const SumsParams& p, int64_t groups) {
  return {{static_cast<int>(CeilDiv<int64_t>(p.rows, Tile::kM)),
           static_cast<int>(CeilDiv<int64_t>(p.columns, Tile::kN)), static_cast<int>(groups)},
          Tile::kThreads,
          Tile::kSharedBytes};
}

}  // namespace

std::optional<Planes> PlanesFor(const Interval& range, bool may_move) {
  constexpr Interval kTwoBytes = {-32896, 32639};  // of HighByte and LowByte
  if (RangeOf(Storage::kI8).Contains(range)) return Planes{1, 0};
  if (may_move && range.hi - range.lo <= 255) return Planes{1, range.lo + 128};
  if (kTwoBytes.Contains(range)) return Planes{2, 0};
  if (may_move && range.hi - range.lo <= 65535) return Planes{2, range.lo - kTwoBytes.lo};
  return std::nullopt;
}

int64_t PaddedColumns(int64_t columns) { return RoundUp(columns, LargeTile::kN); }

PackedBytes::PackedBytes(const Planes& planes, int64_t groups, int64_t columns, int64_t chunks)
    : planes_(planes),
      padded_columns_(PaddedColumns(columns)),
      steps_(static_cast<int>(CeilDiv<int64_t>(chunks, kChunksOfStep))),
      bytes_(groups * group_bytes()) {}

void SetTerms(SumsParams& params, const Planes& x, const Planes& w, int64_t x_plane_bytes, int64_t zero) {
  int terms = 0;
  // Plane p of `count` weighs 256^(count - 1 - p).
  for (int weight = x.count + w.count - 2; weight >= 0; --weight) {
    bool first = true;
    for (int p = 0; p < x.count; ++p) {
      const int q = x.count + w.count - 2 - weight - p;
      if (q < 0 || q >= w.count) continue;
      const auto fill = static_cast<uint8_t>(x.at(zero, p));
      params.terms[terms] = {p * x_plane_bytes, q, fill * 0x01010101u, first && terms > 0};
      first = false;
      ++terms;
    }
  }
  params.steps = terms * params.steps_of_term;
}

Ref AddStage(Work& work, Ref x, StageParams params, int64_t images) {
  params.count = images * params.padded_places * params.groups * params.planes * params.chunks;
  const Ref rows = work.AddScratch(params.count * kChunk);
  work.Add(KernelId::kStage, GridOver(params.count), params, {x, rows});
  return rows;
}

bool AddSums(Work& work, const SumsParams& params, const std::vector<Ref>& memory, int64_t groups,
             Tiling tiling) {
  if (groups > kMostBlocksAlongYZ || CeilDiv<int64_t>(params.columns, SmallTile::kN) > kMostBlocksAlongYZ ||
      CeilDiv<int64_t>(params.rows, SmallTile::kM) > INT32_MAX) {
    return false;
  }
  const int64_t large =
      CeilDiv<int64_t>(params.rows, LargeTile::kM) * CeilDiv<int64_t>(params.columns, LargeTile::kN) * groups;
  if (tiling == Tiling::kLarge || (tiling == Tiling::kByShape && large >= kManyBlocks)) {
    work.Add(KernelId::kSumsLarge, ShapeOf<LargeTile>(params, groups), params, memory);
  } else {
    work.Add(KernelId::kSumsSmall, ShapeOf<SmallTile>(params, groups), params, memory);
  }
  return true;
}

}  // namespace tally::cuda
