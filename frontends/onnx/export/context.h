// The view that the exporter of one operator has.
//
//   Wires ExportRelu(ExportContext& c) { return {c.g.Max(c.x(0), c.g.Scalar(0))}; }
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "frontends/onnx/export/graph_writer.h"
#include "vm/valid_module.h"

namespace tally::onnx {

using Wires = std::vector<Wire>;

struct ExportContext {
  GraphWriter& g;
  const Instruction& instruction;
  std::span<const Wire> operands;
  std::span<const TensorType> operand_types;  // as they are proven
  std::span<const TensorType> results;        // as they are proven
  Interval accumulator;                       // bounds every partial sum in any order

  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(instruction.attributes);
  }

  size_t num_operands() const { return operands.size(); }
  const Wire& x(size_t i) const { return operands[i]; }
  const Shape& shape(size_t i) const { return operands[i].shape; }
  int rank(size_t i) const { return operands[i].shape.rank(); }
  const TensorView* constant(size_t i) const { return operands[i].constant; }

  // Operand `i` in its proven interval, by a Clip that changes nothing where the graph says less than the
  // proof.
  Wire Narrow(size_t i) { return g.Prove(operands[i], operand_types[i].interval); }

  // The last step of many operators: v + zero_out, clamped.
  template <typename Attrs>
  Wire OffsetAndClamp(const Wire& v, const Attrs& attrs) {
    return g.Clip(g.Offset(v, attrs.zero_out), {attrs.lo, attrs.hi});
  }

  Wires Refuse(const std::string& reason) {
    g.Refuse(reason);
    return {};
  }
};

// `axis` counted from the front.
inline int FrontAxis(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// All elements of a constant.
inline std::vector<int64_t> Elements(const TensorView& constant) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < constant.shape.num_elements(); ++i) values.push_back(constant.at(i));
  return values;
}

}  // namespace tally::onnx
