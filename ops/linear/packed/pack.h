// Weights in the order in which a block kernel reads them, and what requantizes its sums.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/rescale.h"
#include "base/tensor.h"
#include "ops/linear/packed/block.h"
#include "ops/linear/packed/first_sums.h"
#include "ops/linear/packed/rows.h"

namespace tally {

// [panels][runs][granules][kPanel][kGranule] and the sums' first values, for one group.
struct PackedWeights {
  AlignedVector<uint8_t> bytes;
  AlignedVector<int32_t> init;       // first - zero_x * (sum of w), modulo 2^32
  AlignedVector<int64_t> long_init;  // the same, modulo 2^64
};

int64_t PackedBytes(const RowPlan& plan, int64_t columns);

// Weight (n, channel, tap) is at(n, channel, tap) and fits the element; the sum of column n starts with first[n]. `zero_x`
// is the staged value that counts as 0, before the bias of kBiasedS8.
template <typename At>
PackedWeights PackWeights(const RowPlan& plan, Element element, int64_t channels, int64_t zero_x,
                          std::span<const int64_t> first, At at) {
  const auto columns = static_cast<int64_t>(first.size());
  PackedWeights packed;
  const int64_t panels = (columns + kPanel - 1) / kPanel;
  packed.bytes.assign(PackedBytes(plan, columns), 0);
  packed.init.assign(panels * kPanel, 0);
  packed.long_init.assign(panels * kPanel, 0);
  const int64_t zero = zero_x + (element == Element::kBiasedS8 ? 128 : 0);
  const int64_t size = SizeBytes(element), per_granule = kGranule / size;
  uint8_t* panel_bytes = packed.bytes.data();
  for (int64_t panel = 0; panel < panels; ++panel) {
    for (int64_t n = panel * kPanel; n < columns && n < (panel + 1) * kPanel; ++n) {
      uint64_t sum = 0;
      for (size_t run = 0; run < plan.runs.size(); ++run) {
        uint8_t* column = panel_bytes + (run * plan.granules_per_run * kPanel + n % kPanel) * kGranule;
        const std::vector<int32_t>& terms = plan.terms[run];
        for (int64_t k = 0; k < static_cast<int64_t>(terms.size()); ++k) {
          if (terms[k] < 0) continue;
          const int64_t w = at(n, terms[k] % channels, terms[k] / channels);
          sum += static_cast<uint64_t>(w);
          uint8_t* to = column + k / per_granule * kPanel * kGranule + k % per_granule * size;
          StoreElement(StorageOf(element), to, 0, w);
        }
      }
      packed.long_init[n] = LessZero(first[n], zero, sum);
      packed.init[n] = static_cast<int32_t>(packed.long_init[n]);
    }
    panel_bytes += plan.runs.size() * plan.granules_per_run * kPanel * kGranule;
  }
  return packed;
}

// Scales of one group of channels, padded to whole panels.
struct PackedScale {
  Epilogue::Scale scale = Epilogue::Scale::kNone;
  std::vector<ScaleGroup> groups;
};

// The requantization of `columns` channels whose sums lie within `sums`, or nothing when it is not one that the
// epilogue computes: rounding must be floor or half_up, and the products must fit 64 bits with everything that is
// added to them. `params` are of each channel, or one for all; they share rounding, zero points and clamp. `init`, if
// not empty, is what the sums still lack, exactly; it joins the addend.
std::optional<PackedScale> PackScale(std::span<const RescaleParams> params, int64_t columns,
                                     const Interval& sums, std::span<const int64_t> init = {});

// The same as kAnyShift, for groups that must share a form with others.
void UseAnyShift(PackedScale& packed);

// Bound of sums of `depth` products of 8 bits, whatever is still to be added.
constexpr Interval RawSums(int64_t depth) { return {-depth * 32768, depth * 32768}; }

// Fills in the halves of `residual`, if y within `y` and a residual within `r` allow them.
void SplitResidual(const Interval& y, const Interval& r, Epilogue::Residual& residual);

// One panel of a matrix b that is known only in a run, and what the sums of its columns start with.
struct PackPanelCall {
  const uint8_t* b = nullptr;
  Storage storage = Storage::kI8;
  bool transposed = false;  // b is [columns, depth], else [depth, columns]
  int64_t base = 0;         // taken from every element
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t zero_x = 0;
  std::span<const int64_t> first;  // of each column, or empty
  Element element = Element::kS8;
  int64_t granules = 0;
  int64_t panel = 0;
  uint8_t* packed = nullptr;  // of panel 0
  int32_t* init = nullptr;    // of column 0
};
void PackPanel(const PackPanelCall& call) noexcept;

}  // namespace tally
