// The state of one lowering, and the pieces of integer code that the operators share.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"
#include "quant/grid/fixed_multiplier.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/fusion.h"
#include "quant/lower/quantize_weights.h"
#include "vm/module_builder.h"

namespace tally::quant {

static_assert(std::is_same_v<LoweredResult, absl::StatusOr<tally::ValueId>>);

struct LoweredGraph;  // quant/lower/lower.h

// A value of the module and the reals it represents.
struct Lowered {
  tally::ValueId id = 0;
  QuantizedType type;
};

// Rescale of an accumulator onto a grid, one channel or all.
struct Requantization {
  int64_t axis = 0;
  int64_t zero_in = 0;
  // One, or one for each channel of `axis`; their multipliers may be negative.
  std::vector<FixedMultiplier> gains;
  std::vector<int64_t> addends = {};  // to the product, one for each gain; none when empty
  bool has_ties = true;               // a product may be in the middle between two results
};

class Lowering {
 public:
  // By value: `types` are their grids, `narrow` those on which factors of products read some of them.
  Lowering(const Graph& graph, const Calibration& calibration, std::vector<Fusion> fusions,
           std::vector<std::optional<QuantizedType>> types, std::vector<std::optional<QuantizedType>> narrow)
      : graph_(graph),
        calibration_(calibration),
        fusions_(std::move(fusions)),
        types_(std::move(types)),
        narrow_(std::move(narrow)),
        narrowed_(graph.values.size()),
        builder_(Profile::kCore) {}

  absl::StatusOr<LoweredGraph> Run() &&;

  const Graph& graph() const { return graph_; }
  ModuleBuilder& builder() { return builder_; }

  // The operand of `node` as an integer value, on its narrow grid where it has one, the node multiplies it,
  // and the calibration does not name the node among its products; a float constant becomes a symmetric
  // 16-bit one, unless a grid was chosen for it.
  absl::StatusOr<Lowered> Operand(const Node& node, size_t index);
  const FloatTensor& WeightOperand(const Node& node, size_t index) const;
  // How many bits weights of `node` take, which multiply codes of up to `x_magnitude`.
  int WeightBits(const Node& node, const FloatTensor& weights, int channel_axis, uint64_t x_magnitude) const;
  // The codes of a weight operand: what its file has instead of floats, or nullptr.
  const ConstantCodes* CodesOfOperand(const Node& node, size_t index) const;
  std::span<const int64_t> ShapeOfOperand(const Node& node, size_t index) const;
  // Errors: calibration_missing.
  absl::StatusOr<SeenRanges> SeenBy(const Node& node) const;
  // The means of the channels of an operand; none where the calibration has none. Errors: calibration_means.
  absl::StatusOr<std::span<const float>> MeansOfOperand(const Node& node, size_t index) const;
  // The value in the module so far that holds a value of the graph.
  std::optional<tally::ValueId> HolderOf(ValueId value) const { return values_[value]; }

  // Constants of the module. Errors: lower_shape when the VM's limits are exceeded.
  absl::StatusOr<tally::ValueId> IntegerConstant(std::span<const int64_t> dims,
                                                 std::span<const int64_t> values);
  absl::StatusOr<tally::ValueId> VectorConstant(std::span<const int64_t> values);

  // clamp(round((x - zero_in) * gain + addend) + to.zero_point), into `to`'s interval. It rounds as `to`
  // says; where there are no ties, as kernels do fastest.
  absl::StatusOr<tally::ValueId> Rescale(tally::ValueId x, const Requantization& how,
                                         const QuantizedType& to);
  // x with its zero point moved to 0, exactly.
  absl::StatusOr<Lowered> Centered(const Lowered& x);
  // x, or x on a grid with so few codes that a table can have an entry for each.
  absl::StatusOr<Lowered> Within16Bits(const Lowered& x);
  // x on another grid; x itself when it is there already.
  absl::StatusOr<tally::ValueId> OnGrid(const Lowered& x, const QuantizedType& to);

 private:
  const Graph& graph_;
  const Calibration& calibration_;
  std::vector<Fusion> fusions_;
  std::vector<std::optional<QuantizedType>> types_, narrow_;
  // By value of the graph: what holds it on its narrow grid.
  std::vector<std::optional<tally::ValueId>> narrowed_;
  std::vector<std::optional<tally::ValueId>> values_;  // by value of the graph
  ModuleBuilder builder_;
};

}  // namespace tally::quant
