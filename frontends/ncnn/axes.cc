// Axes that come, go, are turned or summed along.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

using List = std::vector<int64_t>;

// Whether an axis of a blob of `rank` axes is the width, the height, the depth or the channels, in this
// order.
size_t NameOf(size_t axis, size_t rank) {
  if (axis + 1 == rank) return 0;
  if (axis + 2 == rank) return 1;
  return axis == 0 ? 3 : 2;
}

}  // namespace

// The axes of 1 that flags or a list name; those that are longer stay.
absl::Status ImportSqueeze(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  const quant::Shape blob = BlobOf(x.shape());
  std::array<bool, 4> goes = {};
  constexpr int kIds[] = {0, 1, 11, 2};
  for (size_t name = 0; name < 4; ++name) {
    ASSIGN_OR_RETURN(goes[name], layer.Flag(kIds[name], false));
  }
  ASSIGN_OR_RETURN(const List axes, layer.params().Ints(3));
  std::vector<bool> is_named(blob.size(), false);
  for (size_t i = 0; i < blob.size(); ++i) is_named[i] = axes.empty() && goes[NameOf(i, blob.size())];
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, blob.size()));
    is_named[static_cast<size_t>(axis)] = true;
  }
  quant::Shape squeezed;
  for (size_t i = 0; i < blob.size(); ++i) {
    if (!is_named[i] || blob[i] != 1) squeezed.push_back(blob[i]);
  }
  if (squeezed.empty()) squeezed = {1};
  return layer.FinishAs(AsBlob(layer, x, squeezed, "squeezed"));
}

absl::Status ImportExpandDims(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const List axes, layer.params().Ints(3));
  ASSIGN_OR_RETURN(const quant::Shape blob, Unsqueezed(BlobOf(x.shape()), axes));
  if (blob.size() > 4) return MakeError(label::model_shape, "its result has more than 4 axes");
  return layer.FinishAs(AsBlob(layer, x, blob, "expanded"));
}

absl::Status ImportFlip(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const List axes, layer.params().Ints(0));
  quant::Slice slice = All(x.shape());
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, x));
    constexpr int64_t kFar = int64_t{1} << 40;
    const auto a = static_cast<size_t>(axis);
    Narrow(slice, a, x.shape()[a], kFar, -kFar, -1);
  }
  return layer.Finish(slice, {x});
}

// A list has one axis, whatever the parameter says.
absl::Status ImportCumulativeSum(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t axis, BlobRank(x) == 1 ? 1 : AxisOf(given, x));
  return layer.Finish(quant::CumulativeSum{axis}, {x});
}

// The first half of an axis times the sigmoid of the second.
absl::Status ImportGLU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, x));
  const auto a = static_cast<size_t>(axis);
  const int64_t half = x.shape()[a] / 2;
  if (x.shape()[a] % 2 != 0) return MakeError(label::model_shape, "its axis has no two halves of one length");
  ASSIGN_OR_RETURN(const Operand values, Part(layer, x, a, 0, half, "values"));
  ASSIGN_OR_RETURN(const Operand gates, Part(layer, x, a, half, 2 * half, "gates"));
  ASSIGN_OR_RETURN(const Operand open, layer.Emit(quant::Unary{RecipeFunction::kSigmoid}, {gates}, "open"));
  return layer.FinishAs(Product(layer, values, open));
}

}  // namespace tally::ncnn
