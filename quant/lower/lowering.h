// The state of one lowering, and the pieces of integer code that the operators share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"
#include "quant/lower/fixed_multiplier.h"
#include "quant/lower/fusion.h"
#include "quant/lower/lower.h"
#include "quant/lower/quantize_weights.h"
#include "vm/module_builder.h"

namespace tally::quant {

// A value of the module and the reals it represents.
struct Lowered {
  tally::ValueId id = 0;
  QuantizedType type;
};

// Rescale of an accumulator onto a grid, one channel or all.
struct Requantization {
  int64_t axis = 0;
  int64_t zero_in = 0;
  std::vector<FixedMultiplier> gains;  // one, or one for each channel of `axis`
  std::vector<int64_t> addends = {};   // to the product, one for each gain; none when empty
};

class Lowering {
 public:
  Lowering(const Graph& graph, std::vector<Fusion> fusions, std::vector<std::optional<QuantizedType>> types)
      : graph_(graph), fusions_(std::move(fusions)), types_(std::move(types)), builder_(Profile::kCore) {}

  absl::StatusOr<Module> Run() &&;

 private:
  // One for each operator: writes the code of `node` whose published value has grid `to`, returns that value.
  absl::StatusOr<tally::ValueId> Lower(const Conv2d& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Dense& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const MatMul& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Add& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Relu& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Clip& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const MaxPool2d& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const AveragePool2d& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const GlobalAveragePool& op, const Node& node,
                                       const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const BatchNorm& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Reshape& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Transpose& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Concat& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Softmax& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const ArgMax& op, const Node& node, const QuantizedType& to);
  absl::StatusOr<tally::ValueId> Lower(const Constant& op, const Node& node, const QuantizedType& to);

  // The operand of `node` as an integer value; a float constant becomes a symmetric 16-bit one.
  absl::StatusOr<Lowered> Operand(const Node& node, size_t index);
  const FloatTensor& WeightOperand(const Node& node, size_t index) const;
  std::span<const int64_t> ShapeOfOperand(const Node& node, size_t index) const;

  // Constants of the module. Errors: lower_shape when the VM's limits are exceeded.
  absl::StatusOr<tally::ValueId> IntegerConstant(std::span<const int64_t> dims,
                                                 std::span<const int64_t> values);
  absl::StatusOr<tally::ValueId> VectorConstant(std::span<const int64_t> values);

  // clamp(round((x - zero_in) * gain + addend) + to.zero_point), into `to`'s interval.
  absl::StatusOr<tally::ValueId> Rescale(tally::ValueId x, const Requantization& how,
                                         const QuantizedType& to);
  // x with its zero point moved to 0, exactly.
  absl::StatusOr<Lowered> Centered(const Lowered& x);
  // x on another grid; x itself when it is there already.
  absl::StatusOr<tally::ValueId> OnGrid(const Lowered& x, const QuantizedType& to);

  // The average of windows of x, on grid `to`.
  absl::StatusOr<tally::ValueId> AveragePool(const Lowered& x, const AveragePool2d& op,
                                             const QuantizedType& to);

  // The part that Conv2d and Dense share: weights, bias with the input's zero point folded in, and the gains.
  struct LinearLayer {
    tally::ValueId weights;
    tally::ValueId bias;
    Requantization requantization;
  };
  // `centered`: the operator takes the zero point off x, so the bias does not.
  absl::StatusOr<LinearLayer> PrepareLinear(const Node& node, const QuantizedType& x, const QuantizedType& to,
                                            bool centered);

  const Graph& graph_;
  std::vector<Fusion> fusions_;
  std::vector<std::optional<QuantizedType>> types_;
  std::vector<std::optional<tally::ValueId>> values_;  // by value of the graph
  ModuleBuilder builder_;
};

}  // namespace tally::quant
