#include "frontends/coreml/coreml_import.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/model_file.h"
#include "frontends/coreml/operators.h"

namespace tally::coreml {
namespace {

// Those within a layer.
std::vector<const schema::NeuralNetwork*> NetworksOf(const schema::Layer& layer) {
  if (layer.has_branch()) return {&layer.branch().if_branch(), &layer.branch().else_branch()};
  if (layer.has_loop()) return {&layer.loop().condition_network(), &layer.loop().body_network()};
  return {};
}

// The names that layers read, of networks within layers too.
void AddRead(const schema::NeuralNetwork& network, std::unordered_set<std::string>& names) {
  for (const schema::Layer& layer : network.layers()) {
    names.insert(layer.input().begin(), layer.input().end());
    if (layer.has_loop()) names.insert(layer.loop().condition_var());
    for (const auto* within : NetworksOf(layer)) AddRead(*within, names);
  }
}

// Whether Core ML's first versions had all layers of a network: it holds five dimensions then, unless the
// file says that ranks are exact.
bool IsOfFirstVersions(const schema::NeuralNetwork& network) {
  return std::ranges::all_of(network.layers(), [](const schema::Layer& layer) {
    if (layer.has_convolution()) return layer.input_size() == 1;
    if (layer.has_inner_product()) return !layer.inner_product().int8_dynamic_quantize();
    if (layer.has_upsample()) {
      return layer.upsample().linear_upsample_mode() == schema::Upsample::DEFAULT &&
             layer.upsample().fractional_scaling_factor_size() == 0;
    }
    if (layer.has_reorganize_data())
      return layer.reorganize_data().mode() != schema::ReorganizeData::PIXEL_SHUFFLE;
    constexpr int kLastOfFirst = schema::Layer::kCustom;  // numbers ascend with versions, unknown ones are 0
    return layer.layer_case() <= kLastOfFirst;
  });
}

// Whether a layer gives blobs itself.
bool GivesBlobs(const schema::Layer& layer) {
  return !layer.has_branch() && !layer.has_loop() && !layer.has_loop_break() && !layer.has_loop_continue();
}

RankRule RuleOf(const schema::NeuralNetwork& network) {
  RankRule rule;
  rule.is_exact = network.array_input_shape_mapping() != schema::NeuralNetwork::RANK5_ARRAY ||
                  network.image_input_shape_mapping() != schema::NeuralNetwork::RANK5_IMAGE ||
                  !IsOfFirstVersions(network);
  rule.images_have_five = network.image_input_shape_mapping() == schema::NeuralNetwork::RANK5_IMAGE;
  return rule;
}

}  // namespace

std::set<std::string> GivenBy(const schema::NeuralNetwork& network) {
  std::set<std::string> names;
  for (const schema::Layer& layer : network.layers()) {
    names.insert(layer.output().begin(), layer.output().end());
    for (const auto* within : NetworksOf(layer)) names.merge(GivenBy(*within));
  }
  return names;
}

CoremlImport::CoremlImport(schema::Model& model, int64_t num_bytes, const GivenInputs& given,
                           ModelReport* report)
    : model_(model), given_(given), run_("coreml", 65536 + 8 * num_bytes, report) {}

absl::Status CoremlImport::Run() {
  std::vector<std::string> inputs;
  for (const schema::Feature& input : model_.description().input()) inputs.push_back(input.name());
  RETURN_IF_ERROR(CheckNames(given_, inputs));
  RETURN_IF_ERROR(CheckFixedNames(given_, inputs));
  RETURN_IF_ERROR(ImportModel(model_));
  const auto& outputs = model_.description().output();
  if (outputs.empty()) return run_.Refuse(Malformed("the model has no outputs"));
  bool has_scores = scores_.empty(), has_tensors = false;
  for (const schema::Feature& output : outputs) {
    has_scores |= output.name() == scores_;
    has_tensors |= !IsLabel(output);
    RETURN_IF_ERROR(AddOutput(output));
  }
  if (!has_scores) {  // a classifier may declare nothing but the label
    schema::Feature scores;
    scores.set_name(scores_);
    RETURN_IF_ERROR(AddOutput(scores));
  } else if (!has_tensors && is_whole_) {
    return run_.Refuse(Malformed("the model has no output of numbers"));
  }
  return run_.Finish();
}

absl::StatusOr<Network> CoremlImport::Build() && {
  ASSIGN_OR_RETURN(quant::Graph graph, std::move(run_).Build());
  Network network(std::move(graph));
  network.pixels = std::move(pixels_);
  network.labels = std::move(labels_);
  return network;
}

absl::Status CoremlImport::ImportModel(schema::Model& model) {
  if (model.description().functions_size() > 0 || model.description().state_size() > 0) {
    return Cut(MakeError(label::model_unsupported_type,
                         "the model has functions or states, which neural networks do not have"));
  }
  switch (model.type_case()) {
    case schema::Model::kNeuralNetwork: return ImportNetwork(model, *model.mutable_neural_network());
    case schema::Model::kNeuralNetworkClassifier:
      return ImportNetwork(model, *model.mutable_neural_network_classifier());
    case schema::Model::kNeuralNetworkRegressor:
      return ImportNetwork(model, *model.mutable_neural_network_regressor());
    case schema::Model::kPipeline: return ImportPipeline(*model.mutable_pipeline());
    case schema::Model::kPipelineClassifier:
      return ImportPipeline(*model.mutable_pipeline_classifier()->mutable_pipeline());
    case schema::Model::kPipelineRegressor:
      return ImportPipeline(*model.mutable_pipeline_regressor()->mutable_pipeline());
    case schema::Model::kNonMaximumSuppression: return ImportSuppression(model);
    case schema::Model::TYPE_NOT_SET: break;
  }
  const std::string kind = KindOf(model);
  if (kind == "nothing") return Cut(Malformed("the file holds no model"));
  return Cut(
      MakeError(label::model_unsupported_type,
                "the model is of type " + kind + ", and neural networks alone are imported: " +
                    (kind == "mlProgram"
                         ? "convert it again with convert_to=\"neuralnetwork\", or from its source to ONNX"
                         : "convert its source to ONNX")));
}

absl::Status CoremlImport::Cut(absl::Status status) {
  is_whole_ = false;
  return run_.Refuse(std::move(status));
}

absl::Status CoremlImport::ImportPipeline(schema::Pipeline& pipeline) {
  if (pipeline.models().empty()) return Cut(Malformed("the pipeline has no models"));
  for (schema::Model& model : *pipeline.mutable_models()) {
    RETURN_IF_ERROR(ImportModel(model));
    blobs_.clear();
  }
  return absl::OkStatus();
}

absl::Status CoremlImport::ImportNetwork(schema::Model& model, schema::NeuralNetwork& network) {
  rule_ = RuleOf(network);
  AddRead(network, read_anywhere_);
  for (const schema::Feature& output : model.description().output()) read_anywhere_.insert(output.name());
  std::set<std::string> given;
  for (const schema::Feature& input : model.description().input()) {
    given.insert(input.name());
    RETURN_IF_ERROR(AddInput(input, network));
  }
  for (const schema::Layer& layer : network.layers()) {
    for (const std::string& name : layer.output()) {
      if (!given.insert(name).second && !layer.has_copy())
        RETURN_IF_ERROR(
            run_.Refuse(Malformed("two layers give " + Quoted(name) + ", and none of them is a copy")));
    }
  }
  int64_t index = 0;
  for (schema::Layer& layer : *network.mutable_layers()) {
    RETURN_IF_ERROR(ImportLayer(layer, index++));
    if (index < network.layers_size()) layer.clear_layer();  // its weights are in the graph
  }
  return AddFeatures(model, network);
}

std::string CoremlImport::NewName(const std::string& name) {
  std::string bound = name;
  for (int64_t i = std::ssize(taken_); !taken_.insert(bound).second; ++i) bound = absl::StrCat(name, "\t", i);
  if (read_anywhere_.contains(name)) read_.insert(*taken_.find(bound));
  return bound;
}

Meaning CoremlImport::Find(const std::string& name) const {
  const auto found = blobs_.find(name);
  if (found == blobs_.end())
    return {.is_reported = num_refused_ > 0};  // a layer that gives it may be refused
  if (run_.IsUnavailable(found->second.name)) return {.is_reported = true};
  const auto operand = run_.scope().Lookup(found->second.name);
  if (!operand.ok()) return {};
  return {.blob = Blob{*operand, found->second.sequence}};
}

absl::Status CoremlImport::Set(const std::string& name, const Meaning& meaning) {
  if (!meaning.blob.has_value() && !meaning.is_reported) {
    blobs_.erase(name);
    return absl::OkStatus();
  }
  Held held = {NewName(name)};
  if (meaning.blob.has_value()) {
    held.sequence = meaning.blob->sequence;
    RETURN_IF_ERROR(run_.scope().Bind(held.name, meaning.blob->operand));
  } else {
    run_.MarkUnavailable(std::vector<std::string>{held.name});
  }
  blobs_.insert_or_assign(name, std::move(held));
  return absl::OkStatus();
}

LayerNames CoremlImport::NamesOf(const schema::Layer& layer, int64_t index) {
  LayerNames names = {
      absl::StrCat("layer ", place_, index, " ", Quoted(layer.name()), " (", TypeOf(layer), ")"), {}, {}};
  for (const std::string& input : layer.input()) {
    const auto found = blobs_.find(input);
    names.inputs.push_back(found == blobs_.end() ? std::string() : found->second.name);
  }
  return names;
}

absl::Status CoremlImport::ImportLayer(const schema::Layer& layer, int64_t index) {
  LayerNames names = NamesOf(layer, index);
  for (const std::string& output : layer.output()) names.outputs.push_back(NewName(output));
  CoremlLayer::Place place = {.is_exact = rule_.is_exact, .networks = this};
  for (const std::string& input : layer.input()) {
    const auto found = blobs_.find(input);
    place.sequences.push_back(found == blobs_.end() ? 1 : found->second.sequence);
  }
  std::vector<int64_t> sequences(names.outputs.size(), 1);
  const size_t reported = run_.num_reported();
  const LayerSteps steps = {
      .find = [&] { return FindImporter(layer).status(); },
      .import = [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const LayerImporter import, FindImporter(layer));
        if (layer.output().empty() && GivesBlobs(layer)) return Malformed("it has no output");
        for (int i = 0; i < layer.input_size(); ++i) {
          if (names.inputs[static_cast<size_t>(i)].empty())
            return Malformed("nothing before it gives " + Quoted(layer.input(i)));
        }
        const std::string outer = std::exchange(place_, absl::StrCat(place_, index, "."));
        CoremlLayer node(names, run_.scope(), read_, layer, place);
        const int64_t refused = num_refused_;
        const absl::Status imported = import(node);
        place_ = outer;
        if (!imported.ok() && num_refused_ > refused) return MissWithin(layer);
        RETURN_IF_ERROR(imported);
        for (size_t i = 0; i < sequences.size(); ++i) sequences[i] = node.result_sequence(i);
        RETURN_IF_ERROR(node.RefuseTheRest());
        return CheckTensors(layer, names);
      },
  };
  ASSIGN_OR_RETURN(const LayerReport::Fate fate, run_.ImportLayer(names, TypeOf(layer), steps));
  for (size_t i = 0; i < names.outputs.size(); ++i)
    blobs_.insert_or_assign(layer.output(static_cast<int>(i)), Held{names.outputs[i], sequences[i]});
  if (fate != LayerReport::kImported) ++num_refused_;
  if (fate != LayerReport::kImported && run_.num_reported() == reported + 1) ReportWithin(layer);
  return absl::OkStatus();
}

// Shapes of results in a file are those it was converted with; other sizes of an input make it void.
absl::Status CoremlImport::CheckTensors(const schema::Layer& layer, const LayerNames& names) const {
  if (!rule_.is_exact || !given_.shapes.empty()) return absl::OkStatus();
  for (int i = 0; i < std::min(layer.output_tensor_size(), layer.output_size()); ++i) {
    const auto operand = run_.scope().Lookup(names.outputs[static_cast<size_t>(i)]);
    const schema::Layer::Tensor& tensor = layer.output_tensor(i);
    if (!operand.ok() || tensor.rank() == 0) continue;
    const quant::Shape& shape = operand->shape();
    const bool has_dims = tensor.dim_value_size() > 0;
    const bool fits =
        tensor.rank() == shape.size() &&
        (!has_dims || std::ranges::equal(tensor.dim_value(), shape,
                                         [](int64_t dim, int64_t size) { return dim < 1 || dim == size; }));
    if (!fits && !shape.empty()) {
      return BadShape(absl::StrCat(
          "its result is ", quant::ToString(shape), ", and the file says rank ", tensor.rank(),
          has_dims ? " " + quant::ToString({tensor.dim_value().begin(), tensor.dim_value().end()})
                   : std::string()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Flow> CoremlImport::Import(const schema::NeuralNetwork& network, bool is_again) {
  constexpr int64_t kMostInlined = 1 << 18;
  for (const schema::Layer& layer : network.layers())
    num_inlined_ += 1 + layer.input_size() + layer.output_size();
  if (num_inlined_ > kMostInlined) {
    return MakeError(label::model_too_large,
                     absl::StrCat("networks within layers have more than ", kMostInlined,
                                  " layers and blobs together, unrolled"));
  }
  const size_t reported = run_.num_reported();
  int64_t index = 0;
  for (const schema::Layer& layer : network.layers()) {
    RETURN_IF_ERROR(ImportLayer(layer, index++));
    if (flow_ != Flow::kEnd) break;
  }
  if (is_again) run_.ForgetImported(reported);
  return std::exchange(flow_, Flow::kEnd);
}

// A report says why networks within a layer do not give what the layer needs of them.
absl::Status CoremlImport::MissWithin(const schema::Layer& layer) {
  for (const auto* within : NetworksOf(layer)) {
    for (const std::string& name : GivenBy(*within)) RETURN_IF_ERROR(Set(name, {.is_reported = true}));
  }
  return absl::OkStatus();
}

// Layers of networks that were not looked into: whether their types are imported at all.
void CoremlImport::ReportWithin(const schema::Layer& layer) {
  for (const auto* within : NetworksOf(layer)) {
    int64_t index = 0;
    for (const schema::Layer& inner : within->layers()) {
      run_.ReportUnseen(NamesOf(inner, index++).source, TypeOf(inner), FindImporter(inner).status());
      ReportWithin(inner);
    }
  }
}

}  // namespace tally::coreml
