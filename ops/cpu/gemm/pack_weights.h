// Weights in the order in which a micro-kernel reads them, and what requantizes its accumulators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/rescale.h"
#include "base/tensor.h"
#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/gemm/accumulator_init.h"

namespace tally {

// As GemmArgs::weights, and the accumulator init, for one group.
struct PackedWeights {
  AlignedVector<uint8_t> bytes;
  AlignedVector<int32_t> init;      // first - zero_x * (sum of w), modulo 2^32
  AlignedVector<int64_t> init_s64;  // the same, modulo 2^64
};

int64_t PackedBytes(const GemmPlan& plan, int64_t columns);

// Weight (n, channel, tap) is at(n, channel, tap) and fits the element; the accumulators of column n start
// with first[n]. `zero_x` is the packed value that stands for 0, before the bias of kBiasedS8.
template <typename At>
PackedWeights PackWeights(const GemmPlan& plan, Element element, int64_t channels, int64_t zero_x,
                          std::span<const int64_t> first, At at) {
  const auto columns = static_cast<int64_t>(first.size());
  PackedWeights packed;
  const int64_t panels = (columns + kPanel - 1) / kPanel;
  packed.bytes.assign(PackedBytes(plan, columns), 0);
  packed.init.assign(panels * kPanel, 0);
  packed.init_s64.assign(panels * kPanel, 0);
  const int64_t zero = zero_x + (element == Element::kBiasedS8 ? 128 : 0);
  const Storage storage = StorageOfWeights(element);
  const int64_t together = ElementsTogether(element);
  uint8_t* panel_bytes = packed.bytes.data();
  for (int64_t panel = 0; panel < panels; ++panel) {
    for (int64_t n = panel * kPanel; n < columns && n < (panel + 1) * kPanel; ++n) {
      uint64_t sum = 0;
      for (size_t segment = 0; segment < plan.segments.size(); ++segment) {
        uint8_t* at_segment = panel_bytes + segment * plan.k_groups_per_segment * kPanel * kKGroup;
        const std::vector<int32_t>& terms = plan.terms[segment];
        for (int64_t k = 0; k < static_cast<int64_t>(terms.size()); ++k) {
          if (terms[k] < 0) continue;
          const int64_t w = at(n, terms[k] % channels, terms[k] / channels);
          sum += static_cast<uint64_t>(w);
          const int64_t index = (k / together * kPanel + n % kPanel) * together + k % together;
          StoreElement(storage, at_segment, index, w);
        }
      }
      packed.init_s64[n] = WithZeroPoint(first[n], zero, sum);
      packed.init[n] = static_cast<int32_t>(packed.init_s64[n]);
    }
    panel_bytes += plan.segments.size() * plan.k_groups_per_segment * kPanel * kKGroup;
  }
  return packed;
}

// Scales of one group of channels, padded to whole panels, in the first form of Epilogue::Scale that all of
// them have.
struct PackedScale {
  Epilogue::Scale scale = Epilogue::Scale::kNone;
  std::vector<ScaleGroup> groups;
};

// The requantization of `columns` channels whose accumulators are within `acc`, or nothing when it is not one
// that the epilogue computes: rounding must be floor or half_up, and the products must fit 64 bits with
// everything that is added to them. `params` are of each channel, or one for all; they share rounding, zero
// points and clamp. `init`, if not empty, is what the accumulators still lack, exactly; it joins the addend.
std::optional<PackedScale> PackScale(std::span<const RescaleParams> params, int64_t columns,
                                     const Interval& acc, std::span<const int64_t> init = {});

// The same as kAnyShift, for groups that must share a form with others.
void UseAnyShift(PackedScale& packed);

// Bound of accumulators of `depth` products of 8 bits, whatever is still to be added.
constexpr Interval RawAccumulators(int64_t depth) { return {-depth * 32768, depth * 32768}; }

// One panel of a matrix b that is known only in a run, and the accumulator init of its columns.
struct PackPanelCall {
  const uint8_t* b = nullptr;
  Storage storage = Storage::kI8;
  bool transposed = false;  // b is [columns, depth], else [depth, columns]
  int64_t base = 0;         // taken from every element
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t zero_x = 0;
  std::span<const int64_t> first;  // per column, or empty
  Element element = Element::kS8;
  int64_t k_groups = 0;
  int64_t panel = 0;
  uint8_t* packed = nullptr;  // panel 0's
  int32_t* init = nullptr;    // column 0's
};
void PackPanel(const PackPanelCall& call) noexcept;

}  // namespace tally
