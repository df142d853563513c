#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/exact/rows.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

struct ScanSpec {
  const ::onnx::GraphProto* body = nullptr;
  size_t states = 0, scanned = 0, outputs = 0;
  std::vector<int64_t> input_axes, input_reversed, output_axes, output_reversed;
};

// A list of `size` entries, all 0 when it is left out.
absl::StatusOr<std::vector<int64_t>> ReadList(ExactNode& node, std::string_view name, size_t size) {
  ASSIGN_OR_RETURN(const auto list, node.attributes().Ints(name));
  if (list && list->size() != size)
    return MakeError(label::model_malformed, std::string(name) + " has another size");
  return list.value_or(std::vector<int64_t>(size, 0));
}

// `inputs` of the node are states and scanned tensors.
absl::StatusOr<ScanSpec> ReadSpec(ExactNode& node, size_t inputs, std::string_view directions) {
  ScanSpec spec;
  ASSIGN_OR_RETURN(spec.body, ReadBody(node, "body"));
  ASSIGN_OR_RETURN(const int64_t scanned, node.attributes().Int("num_scan_inputs", 0));
  if (scanned < 1 || scanned > static_cast<int64_t>(inputs)) {
    return MakeError(label::model_malformed, "num_scan_inputs is out of range");
  }
  spec.scanned = static_cast<size_t>(scanned);
  spec.states = inputs - spec.scanned;
  const size_t results = static_cast<size_t>(spec.body->output_size());
  if (results < spec.states) return MakeError(label::model_malformed, "the body gives too few values");
  spec.outputs = results - spec.states;
  ASSIGN_OR_RETURN(spec.input_axes, ReadList(node, "scan_input_axes", spec.scanned));
  ASSIGN_OR_RETURN(spec.input_reversed, ReadList(node, directions, spec.scanned));
  ASSIGN_OR_RETURN(spec.output_axes, ReadList(node, "scan_output_axes", spec.outputs));
  ASSIGN_OR_RETURN(spec.output_reversed, ReadList(node, "scan_output_directions", spec.outputs));
  return spec;
}

// How many slices each of the scanned values has.
absl::StatusOr<int64_t> Length(ExactNode& node, const ScanSpec& spec, const ExactValues& values) {
  int64_t length = 0;
  for (size_t k = 0; k < spec.scanned; ++k) {
    const Shape& shape = node.c().shape(values[spec.states + k].value);
    ASSIGN_OR_RETURN(const int64_t axis,
                     NormalizeAxis(spec.input_axes[k], static_cast<size_t>(shape.rank())));
    const int64_t slices = shape[static_cast<int>(axis)];
    if (k > 0 && slices != length) return MakeError(label::model_shape, "scanned inputs differ in length");
    length = slices;
  }
  return length;
}

// `values` are the states and the scanned tensors.
absl::StatusOr<ExactResults> Run(ExactNode& node, const ScanSpec& spec, const ExactValues& values) {
  ASSIGN_OR_RETURN(const int64_t length, Length(node, spec, values));
  ExactResults states(values.begin(), values.begin() + static_cast<int64_t>(spec.states));
  std::vector<ExactResults> rows(spec.outputs);
  for (int64_t i = 0; i < length; ++i) {
    ExactResults inputs = states;
    for (size_t k = 0; k < spec.scanned; ++k) {
      const int64_t index = spec.input_reversed[k] != 0 ? length - 1 - i : i;
      ASSIGN_OR_RETURN(inputs.emplace_back(),
                       SliceOf(node, values[spec.states + k], spec.input_axes[k], index));
    }
    ASSIGN_OR_RETURN(const ExactResults results, node.host().ImportBody(*spec.body, std::move(inputs)));
    std::copy_n(results.begin(), spec.states, states.begin());
    for (size_t k = 0; k < spec.outputs; ++k) rows[k].push_back(results[spec.states + k]);
  }
  for (size_t k = 0; k < spec.outputs; ++k) {
    ASSIGN_OR_RETURN(states.emplace_back(),
                     Stack(node, rows[k], spec.output_axes[k], spec.output_reversed[k] != 0));
  }
  return states;
}

}  // namespace

absl::StatusOr<ExactResults> ExactScan(ExactNode& node) {
  ASSIGN_OR_RETURN(const ScanSpec spec, ReadSpec(node, node.num_inputs(), "scan_input_directions"));
  ExactValues values;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(values.emplace_back(), node.Input(i));
  }
  return Run(node, spec, values);
}

// Opset 8: the lengths of the sequences, which must be left out, then states and scanned tensors with a batch
// in front.
absl::StatusOr<ExactResults> ExactBatchedScan(ExactNode& node) {
  if (node.num_inputs() < 2) return MakeError(label::model_malformed, "nothing to scan");
  if (node.HasInput(0)) return MakeError(label::model_unsupported_operand, "sequences of different lengths");
  ASSIGN_OR_RETURN(const ScanSpec spec, ReadSpec(node, node.num_inputs() - 1, "directions"));
  std::vector<ExactResults> results(spec.states + spec.outputs);
  for (int64_t batch = 0, batches = 1; batch < batches; ++batch) {
    ExactValues values;
    for (size_t i = 1; i < node.num_inputs(); ++i) {
      ASSIGN_OR_RETURN(const ExactValue x, node.Input(i));
      const Shape& shape = node.c().shape(x.value);
      if (shape.rank() == 0 || (i > 1 && shape[0] != batches)) {
        return MakeError(label::model_shape, "inputs differ in batches");
      }
      batches = shape[0];
      ASSIGN_OR_RETURN(values.emplace_back(), SliceOf(node, x, 0, batch));
    }
    ASSIGN_OR_RETURN(const ExactResults of_batch, Run(node, spec, values));
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back(of_batch[k]);
  }
  ExactResults stacked;
  for (const ExactResults& result : results) {
    ASSIGN_OR_RETURN(stacked.emplace_back(), Stack(node, result, 0, false));
  }
  return stacked;
}

}  // namespace tally::onnx
