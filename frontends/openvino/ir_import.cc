#include "frontends/openvino/ir_import.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/openvino/ir_constant.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// A Parameter states its shape twice: itself, and by its port.
absl::Status CheckParameter(const IrLayer& layer, const DeclaredShape& declared) {
  if (layer.outputs.size() != 1) return Malformed("a Parameter has one output");
  const IrOutput& port = layer.outputs[0];
  bool fits = !declared.has_value() || declared->size() == port.dims.size();
  for (size_t i = 0; fits && declared.has_value() && i < declared->size(); ++i)
    fits =
        std::max<int64_t>((*declared)[i].size, 0) == std::max<int64_t>(port.dims[i], 0);  // 0 and below: open
  if (fits) return absl::OkStatus();
  return MakeError(label::model_shape, "its shape is " + PrintableStart(layer.data.find("shape")->second) +
                                           ", and its port says " + quant::ToString(port.dims) +
                                           ": one of the two is wrong");
}

}  // namespace

IrImport::IrImport(const IrFile& file, const IrFiles& files, const GivenInputs& given, ModelReport* report)
    : file_(file),
      files_(files),
      given_(given),
      run_(file.name, 65536 + 4 * static_cast<int64_t>(files.weights.size()), report) {
  for (const IrLayer& layer : file.layers) {
    for (const std::string& input : layer.inputs) {
      read_.insert(input);
      ++num_readers_[input];
    }
  }
}

absl::Status IrImport::Run() {
  std::vector<std::string> inputs;
  for (const IrLayer& layer : file_.layers) {
    if (IsType(layer, "Parameter")) inputs.push_back(layer.name);
  }
  RETURN_IF_ERROR(CheckNames(given_, inputs));
  RETURN_IF_ERROR(CheckFixedNames(given_, inputs));
  for (const IrLayer& layer : file_.layers) {
    if (IsType(layer, "Parameter")) {
      RETURN_IF_ERROR(AddInput(layer));
    } else if (IsType(layer, "Result")) {
      results_.push_back(&layer);
    } else {
      RETURN_IF_ERROR(AddLayer(layer, {}));
      for (const std::string& input : layer.inputs) {
        if (--num_readers_[input] == 0) run_.scope().Release(input);
      }
    }
  }
  if (file_.preprocessing.has_value() && !is_preprocessed_) {
    RETURN_IF_ERROR(
        run_.Refuse(Malformed("<pre-process> names input '" + PrintableStart(file_.preprocessing->input) +
                              "', which there is not")));
  }
  if (results_.empty()) return run_.Refuse(Malformed("the model has no results"));
  std::ranges::sort(results_, {}, &IrLayer::id);
  for (const IrLayer* result : results_) RETURN_IF_ERROR(AddOutput(*result));
  return run_.Finish();
}

absl::Status IrImport::AddInput(const IrLayer& layer) {
  const auto attribute = [&](std::string_view name) {
    const auto found = layer.data.find(name);
    return found == layer.data.end() ? std::string() : found->second;
  };
  const auto type = IrTypeOf(attribute("element_type"));
  if (!type.ok()) return run_.AddInput(layer.name, {}, type.status());
  InputType of_graph;
  if (!type->is_float()) of_graph = {.element = quant::ElementType::kInt64, .interval = type->interval()};
  DeclaredShape declared = DeclaredBy(attribute("shape"));
  if (layer.data.contains("shape")) {
    if (const absl::Status stated = CheckParameter(layer, declared); !stated.ok())
      return run_.AddInput(layer.name, {}, stated);
  }
  if (given_.shapes.contains(Printable(layer.name))) {  // a user may say other sizes than the file
    for (DeclaredDim& dim : *declared) dim.size = 0;
  }
  if (!layer.layout.empty()) {
    run_.scope().AddNote("input '" + PrintableStart(layer.name) + "': its layout is " +
                         PrintableStart(layer.layout));
  }
  run_.Declare(layer.name, of_graph, declared);
  RETURN_IF_ERROR(run_.AddInput(layer.name, of_graph, ShapeOfInput(layer.name, declared, given_), given_));
  const auto& before = file_.preprocessing;
  if (!before.has_value() || (before->input.empty() ? is_preprocessed_ : before->input != layer.name))
    return absl::OkStatus();
  is_preprocessed_ = true;
  return run_.Refuse(At("input '" + PrintableStart(layer.name) + "'", Preprocess(layer.name, *before)));
}

// (x - mean) / scale of each channel.
absl::Status IrImport::Preprocess(const std::string& name, const IrPreprocessing& how) {
  if (run_.IsUnavailable(name)) return absl::OkStatus();
  ASSIGN_OR_RETURN(Operand x, run_.scope().Lookup(name));
  const quant::Shape& shape = x.shape();
  if (shape.size() != 4 || x.is_integer() || std::ssize(how.channels) != shape[1])
    return MakeError(label::model_shape, "<pre-process> is of an image with other channels");
  const bool has_images =
      std::ranges::any_of(how.channels, [](const IrChannel& c) { return c.image.has_value(); });
  const int64_t plane = has_images ? shape[2] * shape[3] : 1;
  quant::FloatTensor means{{1, shape[1], has_images ? shape[2] : 1, has_images ? shape[3] : 1}, {}};
  quant::FloatTensor factors{{1, shape[1], 1, 1}, {}};
  RETURN_IF_ERROR(run_.scope().Charge(quant::NumElements(means.shape)));
  means.data.resize(static_cast<size_t>(quant::NumElements(means.shape)));
  factors.data.resize(static_cast<size_t>(shape[1]), 1);
  std::set<int64_t> seen;
  for (const IrChannel& channel : how.channels) {
    if (channel.id < 0 || channel.id >= shape[1] || !seen.insert(channel.id).second || channel.scale == 0)
      return Malformed("a channel of <pre-process> is out of range, or there twice, or its scale is 0");
    factors.data[static_cast<size_t>(channel.id)] = 1 / channel.scale;
    const auto begin = means.data.begin() + channel.id * plane;
    std::fill_n(begin, plane, channel.mean);
    if (!channel.image.has_value()) continue;
    ASSIGN_OR_RETURN(const IrType type, IrTypeOf(how.precision.empty() ? "FP32" : how.precision));
    ASSIGN_OR_RETURN(const auto bytes, BytesAt(files_.weights, channel.image->first, channel.image->second));
    ASSIGN_OR_RETURN(const quant::Tensor image, DecodeConstant(type, {plane}, bytes));
    const auto* floats = std::get_if<quant::FloatTensor>(&image);
    if (floats == nullptr) return MakeError(label::model_unsupported_type, "a mean image is not of floats");
    std::ranges::copy(floats->data, begin);
  }
  const auto is_one = [](float factor) { return factor == 1; };
  const bool scales = !std::ranges::all_of(factors.data, is_one);
  Emitter emitter(run_.scope(), name, "input '" + PrintableStart(name) + "'");
  ASSIGN_OR_RETURN(const Operand mean, emitter.NewConstant(std::move(means), "mean"));
  ASSIGN_OR_RETURN(x, emitter.Emit(quant::Sub{}, {x, mean}, "centered"));
  if (scales) {
    ASSIGN_OR_RETURN(const Operand factor, emitter.NewConstant(std::move(factors), "factors"));
    ASSIGN_OR_RETURN(x, emitter.Emit(quant::Mul{}, {x, factor}, "scaled"));
  }
  return run_.scope().Rebind(name, x);
}

absl::Status IrImport::AddLayer(const IrLayer& layer, const Place& place) {
  return IsConstant(layer) ? AddConstant(layer, place) : ImportLayer(layer, place);
}

absl::StatusOr<Operand> IrImport::ConstantOf(const IrLayer& layer, const std::string& name) {
  IrNode node({name, {}, {name}}, run_.scope(), read_, layer, {});
  ASSIGN_OR_RETURN(const IrConstant constant, ReadConstant(node, files_.weights));
  ASSIGN_OR_RETURN(quant::Tensor tensor, DecodeConstant(constant.type, constant.shape, constant.bytes));
  if (files_.forget != nullptr) files_.forget(constant.bytes);
  return Scope::FileConstant(name, std::move(tensor));
}

absl::Status IrImport::AddConstant(const IrLayer& layer, const Place& place) {
  const std::string name = place.names + layer.name;
  if (const auto known = of_bodies_.find(&layer); known != of_bodies_.end()) {
    return run_.scope().Bind(name, known->second);
  }
  RETURN_IF_ERROR(run_.AddConstant("constant", name, ConstantOf(layer, name)));
  if (place.names.empty()) return absl::OkStatus();
  if (const auto constant = run_.scope().Lookup(name); constant.ok()) of_bodies_.emplace(&layer, *constant);
  return absl::OkStatus();
}

LayerNames IrImport::NamesOf(const IrLayer& layer, const Place& place) {
  LayerNames names = {absl::StrCat("layer ", place.ids, layer.id, " '", PrintableStart(layer.name), "' (",
                                   PrintableStart(layer.type),
                                   layer.version.empty() ? "" : ", " + PrintableStart(layer.version), ")"),
                      {},
                      {}};
  for (const std::string& input : layer.inputs) {
    names.inputs.push_back(input.empty() ? "" : place.names + input);
  }
  for (const IrOutput& output : layer.outputs) names.outputs.push_back(place.names + output.value);
  return names;
}

absl::Status IrImport::ImportLayer(const IrLayer& layer, const Place& place) {
  const LayerNames names = NamesOf(layer, place);
  const LayerSteps steps = {
      .find = [&] { return FindImporter(layer.type).status(); },
      .import = [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const OperationImporter import, FindImporter(layer.type));
        if (layer.outputs.empty()) return Malformed("it has no output");
        IrNode node(names, run_.scope(), read_, layer,
                    [&](size_t body, const BodyOperands& parameters, bool is_again) {
                      return ImportBody(layer, names, place, body, parameters, is_again);
                    });
        RETURN_IF_ERROR(import(node));
        RETURN_IF_ERROR(node.CheckTheRest());
        RETURN_IF_ERROR(node.RefuseTheRest());
        return CheckPorts(layer, names);
      },
  };
  const size_t reported = run_.num_reported();
  RETURN_IF_ERROR(run_.ImportLayer(names, PrintableStart(layer.type), steps).status());
  if (run_.num_reported() == reported + 1) ReportBodies(layer, place);
  return absl::OkStatus();
}

absl::Status IrImport::CheckPorts(const IrLayer& layer, const LayerNames& names) const {
  if (!given_.shapes.empty()) return absl::OkStatus();
  for (size_t i = 0; i < layer.outputs.size(); ++i) {
    const quant::Shape& dims = layer.outputs[i].dims;
    const auto operand = run_.scope().Lookup(names.outputs[i]);
    if (!operand.ok() || operand->shape() == dims) continue;
    const bool is_open = std::ranges::any_of(dims, [](int64_t size) { return size < 1; });
    if (is_open) continue;
    return MakeError(label::model_shape, "its result is " + quant::ToString(operand->shape()) +
                                             ", and its port says " + quant::ToString(dims));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<BodyOperands>> IrImport::ImportBody(const IrLayer& layer,
                                                                 const LayerNames& names, const Place& place,
                                                                 size_t index, const BodyOperands& parameters,
                                                                 bool is_again) {
  constexpr int64_t kMostInlined = 1 << 18;
  const IrBody& body = layer.bodies[index];
  for (const IrLayer& within : body.layers) {  // before anything of it is refused
    if (IsType(within, "Parameter") && !parameters.contains(within.id))
      return Malformed("nothing is given to '" + PrintableStart(within.name) + "' of its body");
    if (IsType(within, "Result") && (within.inputs.size() != 1 || within.inputs[0].empty()))
      return Malformed("Result '" + PrintableStart(within.name) + "' of its body has no input");
  }
  num_inlined_ += 1 + std::ssize(body.inputs) + std::ssize(body.outputs);
  for (const IrLayer& within : body.layers) {
    num_inlined_ += 1 + std::ssize(within.inputs) + std::ssize(within.outputs);
  }
  if (num_inlined_ > kMostInlined) {
    return MakeError(label::model_too_large, absl::StrCat("bodies have more than ", kMostInlined,
                                                          " layers and ports together, unrolled"));
  }
  // Names with a tabulator, which no converter writes, so that no two trips meet.
  const Place inner = {absl::StrCat(PrintableStart(layer.type), "\t", num_bodies_++, "\t"),
                       absl::StrCat(place.ids, layer.id,
                                    layer.bodies.size() == 1 ? ".body."
                                    : index == 0             ? ".then_body."
                                                             : ".else_body.")};
  for (const IrLayer& within : body.layers) {
    for (const std::string& input : within.inputs) {
      if (!input.empty()) read_.insert(names_in_bodies_.emplace_back(inner.names + input));
    }
  }
  const size_t reported = run_.num_reported();
  BodyOperands results;
  bool is_whole = true;
  for (const IrLayer& within : body.layers) {
    if (IsType(within, "Parameter")) {
      RETURN_IF_ERROR(run_.scope().Bind(inner.names + within.name, parameters.at(within.id)));
    } else if (IsType(within, "Result")) {
      const std::string name = inner.names + within.inputs[0];
      if (run_.IsUnavailable(name)) {
        is_whole = false;
        continue;
      }
      ASSIGN_OR_RETURN(Operand result, run_.scope().Lookup(name));
      results.emplace(within.id, std::move(result));
    } else {
      RETURN_IF_ERROR(AddLayer(within, inner));
    }
  }
  if (is_again) run_.ForgetImported(reported);  // the first trip has reported them
  if (is_whole) return results;
  run_.MarkUnavailable(names.outputs);
  return std::nullopt;
}

void IrImport::ReportBodies(const IrLayer& layer, const Place& place) {
  for (const IrBody& body : layer.bodies) {
    const Place inner = {"", absl::StrCat(place.ids, layer.id, ".body.")};
    for (const IrLayer& within : body.layers) {
      if (IsType(within, "Parameter") || IsType(within, "Result") || IsConstant(within)) continue;
      run_.ReportUnseen(NamesOf(within, inner).source, PrintableStart(within.type),
                        FindImporter(within.type).status());
      ReportBodies(within, inner);
    }
  }
}

absl::Status IrImport::AddOutput(const IrLayer& result) {
  if (result.inputs.size() != 1 || result.inputs[0].empty())
    return run_.Refuse(Malformed("Result '" + PrintableStart(result.name) + "' has no input"));
  std::string name = result.inputs[0];
  if (!served_.insert(name).second) {  // the same value again, under a name of its own
    const auto operand = run_.scope().Lookup(name);
    if (operand.ok()) RETURN_IF_ERROR(run_.Refuse(run_.scope().Bind(result.name, *operand)));
    name = result.name;
  }
  return run_.AddOutput(name, std::nullopt);
}

}  // namespace tally::openvino
