#include "frontends/onnx/exact/exact_graph.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/operators.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

// The values of an integer type; those of a float do not wrap.
Interval RangeOfType(int data_type) {
  const Interval core = TensorLimit(Profile::kCore);
  switch (data_type) {
    case TensorProto::BOOL: return {0, 1};
    case TensorProto::INT8: return {-128, 127};
    case TensorProto::UINT8: return {0, 255};
    case TensorProto::INT16: return {-32768, 32767};
    case TensorProto::UINT16: return {0, 65535};
    case TensorProto::INT32: return {-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    case TensorProto::UINT32: return {0, (int64_t{1} << 32) - 1};
    case TensorProto::UINT64: return {0, core.hi};
    default: return core;
  }
}

class ExactImporter {
 public:
  ExactImporter(int64_t opset, Composition& c) : opset_(opset), c_(c) {}

  absl::StatusOr<ExactValues> Run(const ::onnx::GraphProto& graph,
                                  const std::vector<std::optional<ExactValue>>& inputs) {
    for (const TensorProto& tensor : graph.initializer()) {
      if (IsEmpty(tensor)) {
        values_[tensor.name()] = std::nullopt;
        continue;
      }
      ASSIGN_OR_RETURN(const FixedPoint constant, DecodeFixedPoint(tensor));
      values_[tensor.name()] =
          ExactValue{c_.Constant(constant.tensor), constant.fraction_bits, constant.data_type};
    }
    size_t next = 0;
    for (const auto& input : graph.input()) {
      if (values_.contains(input.name())) continue;
      if (next == inputs.size())
        return MakeError("onnx_malformed", "the graph has more inputs than were given");
      values_[input.name()] = inputs[next++];
    }
    for (const auto& node : graph.node()) {
      if (const absl::Status status = ImportNode(node); !status.ok()) {
        return MakeError(ErrorLabel(status),
                         absl::StrCat(node.op_type(), " '", node.name(), "': ", status.message()));
      }
    }
    ExactValues results;
    for (const auto& output : graph.output()) {
      ASSIGN_OR_RETURN(const std::optional<ExactValue> result, Lookup(output.name()));
      if (!result) return MakeError("onnx_shape", "an empty result");
      results.push_back(*result);
    }
    return results;
  }

 private:
  absl::StatusOr<std::optional<ExactValue>> Lookup(const std::string& name) const {
    const auto it = values_.find(name);
    if (it == values_.end()) return MakeError("onnx_malformed", absl::StrCat("no value '", name, "'"));
    return it->second;
  }

  absl::Status ImportNode(const ::onnx::NodeProto& node) {
    ASSIGN_OR_RETURN(const ExactOperator import, FindExactOperator(node.op_type(), opset_));
    ASSIGN_OR_RETURN(Attributes attributes, Attributes::Of(node));
    std::vector<std::optional<ExactValue>> inputs;
    for (const std::string& name : node.input()) {
      if (name.empty()) {
        inputs.emplace_back();
        continue;
      }
      ASSIGN_OR_RETURN(const std::optional<ExactValue> input, Lookup(name));
      inputs.push_back(input);
    }
    ExactNode context(c_, opset_, std::move(attributes), std::move(inputs),
                      static_cast<size_t>(node.output_size()));
    ASSIGN_OR_RETURN(const ExactValues results, import(context));
    RETURN_IF_ERROR(context.attributes().CheckAllRead());
    for (size_t i = 0; i < static_cast<size_t>(node.output_size()); ++i) {
      if (node.output(static_cast<int>(i)).empty()) continue;
      if (i >= results.size()) return MakeError("onnx_unsupported_output", absl::StrCat("output ", i));
      const Interval range = RangeOfType(results[i].data_type);
      if (!range.Contains(c_.interval(results[i].value))) {
        return MakeError("onnx_may_wrap",
                         absl::StrCat("output ", i, " in ", c_.interval(results[i].value).ToString(),
                                      " can leave ", range.ToString()));
      }
      values_[node.output(static_cast<int>(i))] = results[i];
    }
    return absl::OkStatus();
  }

  int64_t opset_;
  Composition& c_;
  std::map<std::string, std::optional<ExactValue>> values_;  // nothing for an empty tensor
};

}  // namespace

absl::StatusOr<ExactValues> ImportExactly(const ::onnx::GraphProto& graph, int64_t opset,
                                          const std::vector<std::optional<ExactValue>>& inputs,
                                          Composition& c) {
  return ExactImporter(opset, c).Run(graph, inputs);
}

}  // namespace tally::onnx
