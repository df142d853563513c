#include "frontends/coreml/model_features.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"

namespace tally::coreml {
namespace {

using coreml_schema::ArrayType;
using coreml_schema::FeatureType;
using coreml_schema::ImageType;
using frontend::DeclaredDim;
using frontend::GivenInputs;
using quant::Shape;

constexpr int64_t kLargest = quant::kMaxElements;

// Shapes that a file allows: one of a list, or sizes of each dimension, besides the one that it declares.
struct Flexible {
  Shape declared;
  std::vector<Shape> listed = {};
  std::vector<Interval> ranges = {};

  bool is_flexible() const { return !listed.empty() || !ranges.empty(); }
  // A range that is open at its end has no end that matters.
  static Interval RangeOf(const coreml_schema::SizeRange& range) {
    const auto low = static_cast<int64_t>(std::min<uint64_t>(range.lower_bound(), kLargest));
    return {std::max<int64_t>(low, 1), range.upper_bound() < 0 ? kLargest : range.upper_bound()};
  }
};

Flexible ShapesOf(const ArrayType& array) {
  Flexible shapes = {.declared = {array.shape().begin(), array.shape().end()}};
  for (const auto& listed : array.enumerated_shapes().shapes())
    shapes.listed.emplace_back(listed.shape().begin(), listed.shape().end());
  for (const auto& range : array.shape_range().size_ranges())
    shapes.ranges.push_back(Flexible::RangeOf(range));
  if (!shapes.declared.empty()) return shapes;
  if (!shapes.listed.empty()) shapes.declared = shapes.listed[0];
  for (const Interval& range : shapes.ranges) shapes.declared.push_back(range.lo);
  return shapes;
}

Flexible ShapesOf(const ImageType& image) {
  const int64_t channels =
      image.color_space() == ImageType::RGB || image.color_space() == ImageType::BGR ? 3 : 1;
  Flexible shapes = {.declared = {channels, image.height(), image.width()}};
  for (const auto& size : image.enumerated_sizes().sizes()) {
    const auto bounded = [](uint64_t v) { return static_cast<int64_t>(std::min<uint64_t>(v, kLargest)); };
    shapes.listed.push_back({channels, bounded(size.height()), bounded(size.width())});
  }
  if (image.has_image_size_range()) {
    shapes.ranges = {{channels, channels},
                     Flexible::RangeOf(image.image_size_range().height_range()),
                     Flexible::RangeOf(image.image_size_range().width_range())};
  }
  if (image.height() == 0 && image.width() == 0 && shapes.is_flexible()) {
    if (!shapes.listed.empty())
      shapes.declared = shapes.listed[0];
    else
      shapes.declared = {channels, shapes.ranges[1].lo, shapes.ranges[2].lo};
  }
  return shapes;
}

// The shape after `num_open` dimensions that the file leaves open.
absl::StatusOr<Shape> ChosenShape(const std::string& name, const Flexible& shapes, size_t num_open,
                                  const GivenInputs& given) {
  const auto found = given.shapes.find(Printable(name));
  const bool is_given = found != given.shapes.end();
  std::vector<DeclaredDim> dims(num_open);
  for (size_t i = 0; i < shapes.declared.size(); ++i) {
    DeclaredDim dim = {.size = shapes.declared[i]};
    if (is_given && shapes.is_flexible()) {
      dim.size = 0;
      if (i < shapes.ranges.size()) dim.sizes = shapes.ranges[i];
    } else if (dim.size < 1) {
      return MakeError(label::model_open_dimension,
                       absl::StrCat("dimension ", i, " of its shape is ", dim.size));
    }
    dims.push_back(std::move(dim));
  }
  ASSIGN_OR_RETURN(Shape shape, frontend::ShapeOfInput(name, dims, given));
  if (is_given && !shapes.listed.empty()) {
    const Shape end(shape.begin() + static_cast<int64_t>(num_open), shape.end());
    if (end != shapes.declared && std::ranges::find(shapes.listed, end) == shapes.listed.end()) {
      std::string list;
      for (const Shape& listed : shapes.listed) list += (list.empty() ? "" : ", ") + quant::ToString(listed);
      return MakeError(label::model_shape,
                       "its shapes are " + list + ", and " + quant::ToString(end) + " is given");
    }
  }
  RETURN_IF_ERROR(quant::CheckShape(shape));
  return shape;
}

absl::StatusOr<InputForm> ImageForm(const std::string& name, const ImageType& image, const RankRule& rule,
                                    const GivenInputs& given) {
  constexpr int kKnown[] = {ImageType::GRAYSCALE, ImageType::GRAYSCALE_FLOAT16, ImageType::RGB,
                            ImageType::BGR};
  if (std::ranges::find(kKnown, static_cast<int>(image.color_space())) == std::end(kKnown)) {
    return UnknownValue("its color space", image.color_space(),
                        "10 (grayscale), 20 (RGB), 30 (BGR) and 40 (grayscale of 16 bits)");
  }
  InputForm form = {.is_image = true};
  ASSIGN_OR_RETURN(form.served, ChosenShape(name, ShapesOf(image), 1, given));
  form.held = form.served;
  if (rule.is_exact && rule.images_have_five) form.held.insert(form.held.begin(), 1);
  return form;
}

// An array in a network of five dimensions. A user may give those before C, or C, H and W.
absl::StatusOr<InputForm> FiveForm(const std::string& name, const Flexible& shapes,
                                   const GivenInputs& given) {
  const size_t declared = shapes.declared.size();
  const auto found = given.shapes.find(Printable(name));
  Flexible wanted = shapes;
  size_t num_open = 1;
  if (found != given.shapes.end() && (declared == 1 || declared == 3)) {
    const size_t rank = found->second.size();
    if (declared == 1 && rank == 5) {
      wanted.declared.insert(wanted.declared.end(), 2, 1);
      for (Shape& listed : wanted.listed) listed.insert(listed.end(), 2, 1);
      if (!wanted.ranges.empty()) wanted.ranges.insert(wanted.ranges.end(), 2, Interval{1, 1});
      num_open = 2;
    } else if (rank == declared + 2) {
      num_open = 2;
    }
  } else if (declared == 4 || declared == 5) {
    num_open = 0;
  }
  if (declared != 1 && declared < 3) {
    return MakeError(label::model_shape, "its shape is " + quant::ToString(shapes.declared) +
                                             ", neither (C) nor (C, H, W), of a network of "
                                             "five dimensions");
  }
  InputForm form;
  ASSIGN_OR_RETURN(form.served, ChosenShape(name, wanted, num_open, given));
  const Shape& served = form.served;
  // [B, C], [S, B, C], [B, C, H, W] or all five.
  const bool has_sequence = served.size() == 3 || served.size() == 5;
  form.sequence = has_sequence ? served[0] : 1;
  form.held = served;
  if (has_sequence) {
    form.held.erase(form.held.begin());
    form.held[0] *= form.sequence;
  }
  if (form.held.size() == 4 && form.held[2] == 1 && form.held[3] == 1) form.held.resize(2);
  return form;
}

}  // namespace

absl::StatusOr<InputForm> FormOf(const coreml_schema::Feature& input, const RankRule& rule,
                                 const GivenInputs& given) {
  const FeatureType& type = input.type();
  if (type.has_image_type()) return ImageForm(input.name(), type.image_type(), rule, given);
  if (!type.has_multi_array_type()) {
    return MakeError(label::model_unsupported_type,
                     "it is neither an image nor an array: a module takes tensors alone");
  }
  const ArrayType& array = type.multi_array_type();
  const Flexible shapes = ShapesOf(array);
  if (shapes.declared.empty()) return MakeError(label::model_open_dimension, "the file says no shape of it");
  if (shapes.declared.size() > quant::kMaxRank)
    return MakeError(label::model_shape, absl::StrCat("it has ", shapes.declared.size(), " dimensions"));
  InputForm form;
  if (rule.is_exact) {
    ASSIGN_OR_RETURN(form.served, ChosenShape(input.name(), shapes, 0, given));
    form.held = form.served;
  } else {
    ASSIGN_OR_RETURN(form, FiveForm(input.name(), shapes, given));
  }
  const bool is_int8 = array.data_type() == ArrayType::INT8;
  if (is_int8 || array.data_type() == ArrayType::INT32) {
    const int64_t half = int64_t{1} << (is_int8 ? 7 : 31);
    form.type = {.element = quant::ElementType::kInt64, .interval = Interval{-half, half - 1}};
  }
  return form;
}

bool IsOfIntegers(const coreml_schema::Feature& output) {
  const auto type = output.type().multi_array_type().data_type();
  return type == ArrayType::INT32 || type == ArrayType::INT8;
}

std::vector<std::string> LabelsOf(const coreml_schema::NeuralNetwork& network) {
  std::vector<std::string> labels;
  for (const std::string& label : network.string_class_labels().vector()) labels.push_back(label);
  for (const int64_t label : network.int64_class_labels().vector()) labels.push_back(std::to_string(label));
  return labels;
}

}  // namespace tally::coreml
