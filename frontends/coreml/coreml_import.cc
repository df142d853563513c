#include "frontends/coreml/coreml_import.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/model_file.h"
#include "frontends/coreml/operators.h"
#include "frontends/coreml/suppression.h"
#include "frontends/graph/compositions/arithmetic.h"

namespace tally::coreml {
namespace {

std::string Quoted(const std::string& name) { return "'" + PrintableStart(name) + "'"; }

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

absl::Status CoremlImport::AddInput(const schema::Feature& input, const schema::NeuralNetwork& network) {
  const auto form = FormOf(input, rule_, given_);
  if (const auto known = features_.find(input.name()); known != features_.end()) {
    blobs_.insert_or_assign(input.name(), known->second);
    const std::optional<Blob> blob = Find(input.name()).blob;
    if (!blob.has_value() || !form.ok() || blob->operand.shape() == form->held ||
        quant::NumElements(blob->operand.shape()) != quant::NumElements(form->held))
      return absl::OkStatus();
    const auto held = run_.scope().Emit(quant::Reshape{form->held}, {blob->operand}, input.name() + ".held",
                                        "input " + Quoted(input.name()));
    if (!held.ok()) return run_.Refuse(held.status());
    return Set(input.name(), {.blob = Blob{*held, form->sequence}});
  }
  const auto& of_model = model_.description().input();
  if (std::ranges::none_of(of_model, [&](const schema::Feature& f) { return f.name() == input.name(); }))
    return MissingFeature(input.name());
  if (!form.ok()) {
    blobs_.insert_or_assign(input.name(), Held{NewName(input.name())});
    return run_.AddInput(blobs_.at(input.name()).name, {}, form.status());
  }
  return Served(input, *form, network);
}

absl::Status CoremlImport::MissingFeature(const std::string& name) {
  RETURN_IF_ERROR(Set(name, {.is_reported = true}));
  return Cut(Malformed("nothing in the pipeline gives " + Quoted(name)));
}

absl::Status CoremlImport::Served(const schema::Feature& input, const InputForm& form,
                                  const schema::NeuralNetwork& network) {
  const std::string name = NewName(input.name()), place = "input " + Quoted(input.name());
  RETURN_IF_ERROR(run_.AddInput(name, form.type, form.served, given_));
  blobs_.insert_or_assign(input.name(), Held{name, form.sequence});
  features_.insert_or_assign(input.name(), Held{name, form.sequence});
  const auto x = run_.scope().Lookup(name);
  if (!x.ok()) return absl::OkStatus();  // a report says why
  if (input.type().is_optional()) {
    run_.scope().AddNote(place +
                         ": is optional; --fix NAME=0 makes it what Core ML takes where it is left out");
  }
  const absl::StatusOr<Operand> held = [&]() -> absl::StatusOr<Operand> {
    ASSIGN_OR_RETURN(Operand read, form.is_image ? Preprocess(input, network, *x) : *x);
    if (read.shape() == form.held) return read;
    return run_.scope().Emit(quant::Reshape{form.held}, {read}, name + ".held", place);
  }();
  if (!held.ok()) return run_.Refuse(At(place, held.status()), {&name, 1});
  return held->name == x->name ? absl::OkStatus() : Set(input.name(), {.blob = Blob{*held, form.sequence}});
}

// Each channel times a scale and plus a bias, or less an image, in the order of the file. A scale and biases
// that come first are the meaning of pixels (frontends/graph/network.h).
absl::StatusOr<Operand> CoremlImport::Preprocess(const schema::Feature& input,
                                                 const schema::NeuralNetwork& network, Operand x) {
  const schema::ImageType& image = input.type().image_type();
  const int64_t channels = x.shape()[1];
  PixelInput pixels = {.name = x.name};
  bool is_first = true;
  Emitter emitter(run_.scope(), x.name, "input " + Quoted(input.name()));
  if (image.color_space() == schema::ImageType::BGR) emitter.Note("its channels are blue, green and red");
  for (const schema::Preprocessing& step : network.preprocessing()) {
    if (!step.feature_name().empty() && step.feature_name() != input.name()) continue;
    if (step.has_scaler()) {
      const schema::Preprocessing::Scaler& scaler = step.scaler();
      std::vector<float> bias = {scaler.gray_bias()};
      if (channels == 3) bias = {scaler.red_bias(), scaler.green_bias(), scaler.blue_bias()};
      if (image.color_space() == schema::ImageType::BGR) std::swap(bias[0], bias[2]);
      if (scaler.channel_scale() == 0)
        return Unsupported("channelScale 0, which leaves nothing of the image");
      if (is_first) {
        pixels.scale = scaler.channel_scale();
        pixels.bias = std::move(bias);
      } else {
        ASSIGN_OR_RETURN(const Operand scale, emitter.NewConstant(scaler.channel_scale(), "scale"));
        ASSIGN_OR_RETURN(x, Product(emitter, x, scale));
        ASSIGN_OR_RETURN(
            const Operand offset,
            emitter.NewConstant(quant::FloatTensor{{1, channels, 1, 1}, std::move(bias)}, "bias"));
        ASSIGN_OR_RETURN(x, Sum(emitter, x, offset));
      }
    } else if (step.has_mean_image()) {
      const auto& mean = step.mean_image().mean_image();
      quant::Shape shape = x.shape();
      shape[0] = 1;
      if (quant::NumElements(shape) != mean.size())
        return BadShape(absl::StrCat("its mean image has ", mean.size(), " elements, not those of ",
                                     quant::ToString(shape)));
      ASSIGN_OR_RETURN(
          const Operand average,
          emitter.NewConstant(quant::FloatTensor{shape, {mean.begin(), mean.end()}}, "mean_image"));
      ASSIGN_OR_RETURN(x, Difference(emitter, x, average));
    } else {
      return Malformed("a step of its preprocessing is neither a scaler nor a mean image");
    }
    is_first = false;
  }
  pixels_.push_back(std::move(pixels));
  return x;
}

float CoremlImport::FixedOr(const std::string& input, double fallback) const {
  const auto fixed = given_.values.find(Printable(input));
  return static_cast<float>(fixed != given_.values.end() && fixed->second.size() == 1 ? fixed->second[0]
                                                                                      : fallback);
}

// Boxes of one image, [N, 4], and their scores, [N, C].
absl::Status CoremlImport::ImportSuppression(const schema::Model& model) {
  const schema::NonMaximumSuppression& params = model.non_maximum_suppression();
  Emitter emitter(run_.scope(), "suppression", "the model of type nonMaximumSuppression");
  std::vector<Operand> operands;
  for (const std::string& name : {params.coordinates_input(), params.confidence_input()}) {
    const auto found = features_.find(name);
    if (found == features_.end()) return MissingFeature(name);
    if (run_.IsUnavailable(found->second.name)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Operand x, run_.scope().Lookup(found->second.name));
    ASSIGN_OR_RETURN(operands.emplace_back(), AsReal(emitter, x));
  }
  const auto suppressed = [&]() -> absl::StatusOr<Suppressed> {
    for (Operand& operand : operands) {
      const quant::Shape& shape = operand.shape();
      if (shape.size() < 2) return BadShape("its boxes or scores are " + quant::ToString(shape));
      const quant::Shape rows = {1, quant::NumElements(shape) / shape.back(), shape.back()};
      ASSIGN_OR_RETURN(operand, emitter.Emit(quant::Reshape{rows}, {operand}, "rows"));
    }
    SuppressionForm how = {
        .iou_threshold = FixedOr(params.iou_threshold_input(), params.iou_threshold()),
        .score_threshold = FixedOr(params.confidence_threshold_input(), params.confidence_threshold()),
        .max_boxes = operands[0].shape()[1],
        .per_class = params.pick_top().per_class()};
    if (!(how.iou_threshold >= 0 && how.iou_threshold <= 1))
      return Malformed("iouThreshold is not from 0 to 1");
    emitter.Note("its thresholds are those of the file, or of --fix; boxes that are not there are 0");
    return Suppress(emitter, operands[0], operands[1], how);
  }();
  if (!suppressed.ok()) return run_.Refuse(At(emitter.source(), suppressed.status()));
  for (const auto& [name, rows] : {std::pair(params.coordinates_output(), &suppressed->boxes),
                                   std::pair(params.confidence_output(), &suppressed->scores)}) {
    const quant::Shape shape = {rows->shape()[1], rows->shape()[2]};
    ASSIGN_OR_RETURN(const Operand of_image, emitter.Emit(quant::Reshape{shape}, {*rows}, "of_image"));
    const std::string bound = NewName(name);
    RETURN_IF_ERROR(run_.scope().Bind(bound, of_image));
    features_.insert_or_assign(name, Held{bound});
  }
  rule_.is_exact = true;
  return absl::OkStatus();
}

absl::Status CoremlImport::AddFeatures(const schema::Model& model, const schema::NeuralNetwork& network) {
  const schema::ModelDescription& description = model.description();
  for (const schema::Feature& output : description.output()) {
    const auto found = blobs_.find(output.name());
    if (found != blobs_.end()) features_.insert_or_assign(output.name(), found->second);
  }
  const std::vector<std::string> labels = LabelsOf(network);
  if (labels.empty()) return absl::OkStatus();
  // Scores are the blob that the file names, or what the last layer gives.
  std::string scores = network.label_probability_layer_name();
  if (scores.empty() && network.layers_size() > 0 && network.layers().rbegin()->output_size() > 0)
    scores = network.layers().rbegin()->output(0);
  const auto found = blobs_.find(scores);
  if (found == blobs_.end())
    return run_.Refuse(Malformed("no layer gives " + Quoted(scores) + ", the scores of the classifier"));
  const std::string name = description.predicted_probabilities_name().empty()
                               ? scores
                               : description.predicted_probabilities_name();
  features_.insert_or_assign(name, found->second);
  if (!description.predicted_feature_name().empty()) {
    features_.erase(description.predicted_feature_name());
    run_.scope().AddNote("output " + Quoted(description.predicted_feature_name()) +
                         " is the label of the largest of " + Quoted(name) + ": tally run --top 1 says it");
  }
  const std::optional<Blob> blob = Find(scores).blob;
  if (!blob.has_value()) return absl::OkStatus();
  const int64_t count = quant::NumElements(blob->operand.shape());
  if (count % std::ssize(labels) != 0)
    return run_.Refuse(
        BadShape(absl::StrCat("the classifier has ", labels.size(), " labels for ", count, " scores")));
  // A row for each image.
  const std::string rows = NewName(name);
  const quant::Shape shape = {count / std::ssize(labels), std::ssize(labels)};
  if (blob->operand.shape() != shape) {
    const auto row = run_.scope().Emit(quant::Reshape{shape}, {blob->operand}, rows, "scores");
    if (!row.ok()) return Cut(row.status());
    RETURN_IF_ERROR(run_.scope().Bind(rows, *row));
    features_.insert_or_assign(name, Held{rows});
  }
  labels_.push_back({Printable(name), labels});
  scores_ = name;
  return absl::OkStatus();
}

bool CoremlImport::IsLabel(const schema::Feature& output) const {
  return output.name() == model_.description().predicted_feature_name() &&
         !output.type().has_multi_array_type();
}

absl::Status CoremlImport::AddOutput(const schema::Feature& output) {
  const std::string& name = output.name();
  const auto found = features_.find(name);
  if (found == features_.end()) {
    if (IsLabel(output) || !is_whole_) return absl::OkStatus();
    return run_.Refuse(Malformed("no layer gives output " + Quoted(name)));
  }
  if (run_.IsUnavailable(found->second.name)) return absl::OkStatus();
  const std::string place = "output " + Quoted(name);
  const absl::StatusOr<Operand> served = [&]() -> absl::StatusOr<Operand> {
    ASSIGN_OR_RETURN(Operand y, run_.scope().Lookup(found->second.name));
    Emitter emitter(run_.scope(), name, place);
    const schema::FeatureType& type = output.type();
    if (type.has_multi_array_type() && y.is_integer() != IsOfIntegers(output)) {
      ASSIGN_OR_RETURN(
          y, y.is_integer() ? AsReal(emitter, y) : emitter.Emit(quant::ToInteger{}, {y}, "integers"));
    } else if (type.has_dictionary_type()) {
      ASSIGN_OR_RETURN(y, AsReal(emitter, y));
    }
    if (rule_.is_exact) return y;
    // What holds no image is a list where the file says so, and S is an axis of its own.
    quant::Shape shape = y.shape();
    const int declared = type.multi_array_type().shape_size();
    const bool is_pixel = shape.size() == 4 && shape[2] == 1 && shape[3] == 1;
    if (is_pixel && declared == 1) shape.resize(2);
    if (shape.size() == 2 && (declared == 3 || type.has_image_type())) shape.insert(shape.end(), 2, 1);
    if (found->second.sequence > 1) {
      shape[0] /= found->second.sequence;
      shape.insert(shape.begin(), found->second.sequence);
    }
    return shape == y.shape() ? y : emitter.Emit(quant::Reshape{shape}, {y}, "served");
  }();
  if (!served.ok()) return run_.Refuse(At(place, served.status()));
  std::string bound = found->second.name;
  const auto before = run_.scope().Lookup(bound);
  const bool is_same = before.ok() && before->value == served->value && before->constant == served->constant;
  if (!is_same || bound != name) {
    // An output is called as the file calls it, whatever its blob is called.
    bound = name;
    if (run_.scope().Lookup(name).ok()) {
      RETURN_IF_ERROR(run_.scope().Rebind(name, *served));
    } else {
      RETURN_IF_ERROR(run_.Refuse(run_.scope().Bind(name, *served)));
    }
  }
  return run_.AddOutput(bound, std::nullopt);
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

// What a file says of the shapes of results is what it was converted with; other sizes of an input make it
// void.
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
