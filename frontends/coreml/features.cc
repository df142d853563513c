// The inputs and outputs of a model: inputs with their preprocessing, outputs with their labels, and what a
// pipeline does with boxes between these.
#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/coreml_import.h"
#include "frontends/coreml/suppression.h"
#include "frontends/graph/compositions/arithmetic.h"

namespace tally::coreml {

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
  const bool is_bgr = image.color_space() == schema::ImageType::BGR;
  PixelInput pixels = {.name = x.name, .is_bgr = is_bgr};
  bool is_first = true;
  Emitter emitter(run_.scope(), x.name, "input " + Quoted(input.name()));
  if (is_bgr) emitter.Note("its channels are blue, green and red, and images are fed so");
  for (const schema::Preprocessing& step : network.preprocessing()) {
    if (!step.feature_name().empty() && step.feature_name() != input.name()) continue;
    if (step.has_scaler()) {
      const schema::Preprocessing::Scaler& scaler = step.scaler();
      std::vector<float> bias = {scaler.gray_bias()};
      if (channels == 3) bias = {scaler.red_bias(), scaler.green_bias(), scaler.blue_bias()};
      if (is_bgr) std::swap(bias[0], bias[2]);
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
    // A value that is no image is a list if the file says so, and S is an axis of its own.
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

}  // namespace tally::coreml
