#include "tests/onnx_export/round_trip.h"

#include <memory>
#include <set>
#include <utility>

#include "base/strings.h"
#include "engines/engine.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/onnx/export/export_onnx.h"
#include "vm/validator.h"

namespace tally {
namespace {

absl::StatusOr<std::vector<Tensor>> Run(const Module& module, const std::vector<Tensor>& inputs) {
  auto valid = Validate(module);
  if (!valid.ok()) return valid.status();
  auto plan = MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  if (!plan.ok()) return plan.status();
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  auto outcome = (*plan)->Execute(views, {});
  if (!outcome.ok()) return outcome.status();
  return std::move(outcome->results);
}

std::vector<onnx::InputRange> RangesOf(const Module& module) {
  std::vector<onnx::InputRange> ranges;
  for (size_t i = 0; i < module.entry().params.size(); ++i) {
    ranges.push_back({.name = module.metadata.params[i].name, .interval = module.entry().params[i].interval});
  }
  return ranges;
}

std::string Mismatch(const Module& module, const std::string& file, const std::vector<Tensor>& inputs) {
  const auto* data = reinterpret_cast<const uint8_t*>(file.data());
  onnx::ExactImportOptions options;
  options.ranges = RangesOf(module);
  const auto imported = onnx::ImportExactModel({data, file.size()}, options);
  if (!imported.ok()) return absl::StrCat("import: ", imported.status().message());
  const auto wanted = Run(module, inputs), got = Run(*imported, inputs);
  if (!wanted.ok()) return absl::StrCat("the module: ", wanted.status().message());
  if (!got.ok()) return absl::StrCat("what was imported: ", got.status().message());
  if (wanted->size() != got->size()) return "another number of results";
  for (size_t i = 0; i < wanted->size(); ++i) {
    const TensorView a = (*wanted)[i].view(), b = (*got)[i].view();
    if (a.shape != b.shape) return absl::StrCat("result ", i, " has shape ", b.shape.ToString());
    for (int64_t k = 0; k < a.shape.num_elements(); ++k) {
      if (a.at(k) != b.at(k))
        return absl::StrCat("result ", i, ", element ", k, ": ", b.at(k), " instead of ", a.at(k));
    }
  }
  return "";
}

}  // namespace

RoundTrip ExportAndImport(const ValidModule& module, const std::vector<Tensor>& inputs) {
  RoundTrip trip;
  onnx::ExportedOnnx exported = onnx::ExportOnnx(module);
  const absl::StatusOr<std::string> file = onnx::OnnxFile(exported);
  if (!file.ok()) {
    trip.refused = std::string(file.status().message());
    return trip;
  }
  trip.model = std::move(exported.model);
  trip.mismatch = Mismatch(module.module(), *file, inputs);
  if (trip.mismatch.empty()) trip.mismatch = WhatIsUndeclared(trip.model);
  return trip;
}

std::string WhatIsUndeclared(const ::onnx::ModelProto& model) {
  const ::onnx::GraphProto& graph = model.graph();
  std::set<std::string> declared, defined, nodes;
  for (const auto* list : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const auto& info : *list) {
      if (!info.type().tensor_type().has_shape() || info.type().tensor_type().elem_type() == 0)
        return info.name() + " has no type";
      declared.insert(info.name());
    }
  }
  for (const auto& input : graph.input()) defined.insert(input.name());
  for (const auto& tensor : graph.initializer()) {
    if (!defined.insert(tensor.name()).second) return tensor.name() + " is defined twice";
  }
  for (const auto& node : graph.node()) {
    if (!node.domain().empty()) return node.name() + " is of another domain";
    if (!nodes.insert(node.name()).second) return node.name() + " names two nodes";
    for (const std::string& input : node.input()) {
      if (!input.empty() && !defined.contains(input)) return input + " is read before it is defined";
    }
    for (const std::string& output : node.output()) {
      if (!defined.insert(output).second) return output + " is defined twice";
      if (!declared.contains(output)) return output + " is not declared";
    }
  }
  for (const auto& output : graph.output()) {
    if (!defined.contains(output.name())) return output.name() + " is not defined";
  }
  return "";
}

}  // namespace tally
