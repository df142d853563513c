// Operators of domain ai.onnx.ml over floats: features that are scaled or normalized, and linear models.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/labels.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

// Rows of features, [B, F].
absl::StatusOr<Operand> Features(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  if (x.type.element != quant::ElementType::kFloat32)
    return MakeError(label::model_unsupported_type, "its features are not floats");
  if (x.shape().size() == 2) return x;
  if (x.shape().size() != 1) return MakeError(label::model_shape, "its features are not rows");
  return node.Emit(quant::Reshape{{1, x.shape()[0]}}, {x}, "row");
}

// One for all features, or one for each; nothing where the attribute is not there.
absl::StatusOr<std::optional<Operand>> PerFeature(NodeContext& node, const char* name, int64_t features) {
  ASSIGN_OR_RETURN(auto numbers, node.attributes().Floats(name));
  if (!numbers.has_value() || numbers->empty()) return std::optional<Operand>();
  const int64_t count = std::ssize(*numbers);
  if (count != 1 && count != features)
    return MakeError(label::model_shape,
                     absl::StrCat(name, " has ", count, " numbers for ", features, " features"));
  ASSIGN_OR_RETURN(Operand constant,
                   node.NewConstant(quant::FloatTensor{{count}, *std::move(numbers)}, name));
  return std::optional(std::move(constant));
}

// The scores of a linear model, before and after its post_transform: x times the rows of its coefficients,
// and the intercepts.
struct LinearModel {
  int64_t rows = 0;
  std::vector<float> coefficients, intercepts;  // [rows, F]; [rows], or none
  std::string transform;
};

absl::StatusOr<LinearModel> ReadLinearModel(NodeContext& node, int64_t features) {
  LinearModel model;
  ASSIGN_OR_RETURN(auto coefficients, node.attributes().Floats("coefficients"));
  ASSIGN_OR_RETURN(auto intercepts, node.attributes().Floats("intercepts"));
  ASSIGN_OR_RETURN(model.transform, node.attributes().String("post_transform", "NONE"));
  model.coefficients = std::move(coefficients).value_or(std::vector<float>());
  model.intercepts = std::move(intercepts).value_or(std::vector<float>());
  const int64_t count = std::ssize(model.coefficients);
  if (features == 0 || count == 0 || count % features != 0)
    return MakeError(label::model_shape,
                     absl::StrCat("it has ", count, " coefficients for ", features, " features"));
  model.rows = count / features;
  if (!model.intercepts.empty() && std::ssize(model.intercepts) != model.rows)
    return MakeError(label::model_shape, "its intercepts are not as many as its rows of coefficients");
  return model;
}

absl::StatusOr<Operand> Scores(NodeContext& node, const Operand& x, LinearModel model) {
  const quant::Shape shape = {model.rows, x.shape()[1]};
  ASSIGN_OR_RETURN(
      const Operand weight,
      node.NewConstant(quant::FloatTensor{shape, std::move(model.coefficients)}, "coefficients"));
  std::optional<Operand> bias;
  if (!model.intercepts.empty()) {
    ASSIGN_OR_RETURN(
        bias, node.NewConstant(quant::FloatTensor{{model.rows}, std::move(model.intercepts)}, "intercepts"));
  }
  return DenseLayer(node, x, weight, bias);
}

absl::StatusOr<Operand> Transformed(NodeContext& node, const Operand& scores, const std::string& transform) {
  if (transform == "NONE") return scores;
  if (transform == "SOFTMAX") return node.Emit(quant::Softmax{1}, {scores}, "softmax");
  if (transform == "LOGISTIC") return node.Emit(quant::Unary{RecipeFunction::kSigmoid}, {scores}, "logistic");
  return UnsupportedAttribute("post_transform is imported as NONE, SOFTMAX and LOGISTIC");
}

}  // namespace

// (x - offset) * scale.
absl::Status ImportScaler(NodeContext& node) {
  ASSIGN_OR_RETURN(Operand y, Features(node));
  const int64_t features = y.shape()[1];
  ASSIGN_OR_RETURN(const auto offset, PerFeature(node, "offset", features));
  ASSIGN_OR_RETURN(const auto scale, PerFeature(node, "scale", features));
  if (offset.has_value()) {
    ASSIGN_OR_RETURN(y, Difference(node, y, *offset));
  }
  if (scale.has_value()) {
    ASSIGN_OR_RETURN(y, Product(node, y, *scale));
  }
  return node.FinishAs(y);
}

// By the largest element of a row, the sum of its magnitudes, or the root of that of its squares.
absl::Status ImportNormalizer(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, Features(node));
  ASSIGN_OR_RETURN(const std::string norm, node.attributes().String("norm", "MAX"));
  constexpr float kLeast = 1e-12f;  // a row of zeros stays one
  if (norm == "L2") return node.FinishAs(L2NormFrom(node, x, {1}, kLeast));
  if (norm != "MAX" && norm != "L1") return UnsupportedAttribute("norm is imported as MAX, L1 and L2");
  ASSIGN_OR_RETURN(const Operand size,
                   Reduce(node, norm == "MAX" ? ReductionKind::kMax : ReductionKind::kL1, x, {.axes = {1}}));
  return node.FinishAs(Quotient(node, x, size));
}

// The columns that a list names.
absl::Status ImportArrayFeatureExtractor(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> columns, node.Ints(1));
  const int64_t axis = std::ssize(x.shape()) - 1;
  if (axis < 0 || columns.empty()) return MakeError(label::model_shape, "it extracts from no columns");
  for (const int64_t column : columns) {
    if (column < 0 || column >= x.shape().back())
      return MakeError(label::model_malformed, "it extracts a column that is not there");
  }
  ASSIGN_OR_RETURN(const Operand places,
                   node.NewConstant(quant::Int64Tensor{{std::ssize(columns)}, columns}, "columns"));
  return node.Finish(quant::Gather{axis}, {x, places});
}

absl::Status ImportLinearRegressor(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, Features(node));
  ASSIGN_OR_RETURN(const int64_t targets, node.attributes().Int("targets", 1));
  ASSIGN_OR_RETURN(LinearModel model, ReadLinearModel(node, x.shape()[1]));
  if (model.rows != targets)
    return MakeError(label::model_shape,
                     absl::StrCat("it has ", model.rows, " rows of coefficients for ", targets, " targets"));
  const std::string transform = model.transform;
  ASSIGN_OR_RETURN(const Operand scores, Scores(node, x, std::move(model)));
  return node.FinishAs(Transformed(node, scores, transform));
}

// Labels, and scores [B, classes]. Where there are two classes and one row of coefficients, it is that of the
// second, whose score s is positive where it is chosen; the scores are then 1 - s and s.
absl::Status ImportLinearClassifier(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, Features(node));
  ASSIGN_OR_RETURN(LinearModel model, ReadLinearModel(node, x.shape()[1]));
  ASSIGN_OR_RETURN(const auto integers, node.attributes().Ints("classlabels_ints"));
  ASSIGN_OR_RETURN(const auto text, node.attributes().Strings("classlabels_strings"));
  node.attributes().Ignore("multi_class");  // how it was trained
  const int64_t classes = integers.has_value() ? std::ssize(*integers)
                          : text.has_value()   ? std::ssize(*text)
                                               : 0;
  const std::string transform = model.transform;
  const bool has_one_row = model.rows == 1 && classes == 2 && transform != "SOFTMAX";
  if (has_one_row) {
    // The first gets the opposite row: logistic(-s) = 1 - logistic(s).
    for (std::vector<float>* list : {&model.coefficients, &model.intercepts}) {
      std::vector<float> both;
      for (const float weight : *list) both.push_back(-weight);
      both.insert(both.end(), list->begin(), list->end());
      *list = std::move(both);
    }
    model.rows = 2;
  }
  if (model.rows != classes)
    return MakeError(label::model_shape,
                     absl::StrCat("it has ", model.rows, " rows of coefficients for ", classes, " classes"));
  ASSIGN_OR_RETURN(const Operand scores, Scores(node, x, std::move(model)));
  ASSIGN_OR_RETURN(const Operand best, node.Emit(quant::ArgExtreme{1, false}, {scores}, "best"));
  if (integers.has_value()) {
    ASSIGN_OR_RETURN(const Operand labels,
                     node.NewConstant(quant::Int64Tensor{{classes}, *integers}, "labels"));
    RETURN_IF_ERROR(node.Finish(quant::Gather{0}, {labels, best}));
  } else {
    RETURN_IF_ERROR(node.FinishAs(best));  // text is its place
  }
  if (!node.IsRead(1)) return absl::OkStatus();
  ASSIGN_OR_RETURN(Operand transformed, Transformed(node, scores, transform));
  if (has_one_row && transform == "NONE") {
    ASSIGN_OR_RETURN(const Operand ones, node.NewConstant(quant::FloatTensor{{2}, {1, 0}}, "ones"));
    ASSIGN_OR_RETURN(transformed, Sum(node, transformed, ones));
  }
  return node.FinishOutputAs(1, transformed);
}

// A map from labels to scores is the scores.
absl::Status ImportZipMap(NodeContext& node) {
  for (const char* labels : {"classlabels_int64s", "classlabels_strings"}) node.attributes().Ignore(labels);
  return node.FinishAs(node.OnlyInput());
}

}  // namespace tally::onnx
