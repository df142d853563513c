// Attention as one operation.
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// scores [.., L, S] with those of later keys hidden: query i sees the first i + 1 keys.
absl::StatusOr<Operand> Causal(IrNode& node, const Operand& scores) {
  const quant::Shape& shape = scores.shape();
  const quant::Shape pairs = {shape[shape.size() - 2], shape.back()};
  RETURN_IF_ERROR(node.Charge(quant::NumElements(pairs)));
  quant::FloatTensor bias{pairs, {}};
  for (int64_t query = 0; query < pairs[0]; ++query) {
    for (int64_t key = 0; key < pairs[1]; ++key)
      bias.data.push_back(key <= query ? 0 : std::numeric_limits<float>::lowest());
  }
  ASSIGN_OR_RETURN(const Operand hidden, node.NewConstant(std::move(bias), "later"));
  return node.Emit(quant::Add{}, {scores, hidden}, "causal");
}

}  // namespace

// softmax(scale q k + mask) v of q [.., L, E], k [.., S, E], v [.., S, V], [mask], [scale], whose leading
// axes broadcast. A mask of flags says which keys are seen, one of floats is added; where the order hides
// keys there is none.
absl::Status ImportScaledDotProductAttention(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 5));
  ASSIGN_OR_RETURN(const Operand q, node.Input(0));
  ASSIGN_OR_RETURN(const Operand k, node.Input(1));
  ASSIGN_OR_RETURN(const Operand v, node.Input(2));
  ASSIGN_OR_RETURN(const bool is_causal, node.Flag("causal", false));
  if (q.shape().size() < 2 || k.shape().size() < 2)
    return MakeError(label::model_shape, "its queries or keys are not matrices");
  auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(q.shape().back())));
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(const double given, node.NumberConstant(4));
    scale = static_cast<float>(given);
  }
  if (!(scale > 0)) return Malformed("its scale is not positive");
  ASSIGN_OR_RETURN(const Operand columns, Transposed(node, k, "keys"));
  ASSIGN_OR_RETURN(Operand scores, MatrixProduct(node, q, columns, scale));
  if (is_causal) {
    ASSIGN_OR_RETURN(scores, Causal(node, scores));
  } else if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(const Operand mask, node.SaturatedInput(3));
    const bool is_nothing = mask.shape().empty() && mask.is_constant() && !mask.is_integer();
    if (mask.is_integer()) {
      ASSIGN_OR_RETURN(const Operand hidden,
                       node.NewConstant(std::numeric_limits<float>::lowest(), "hidden"));
      ASSIGN_OR_RETURN(scores, node.Emit(quant::Where{}, {mask, scores, hidden}, "masked"));
    } else if (!is_nothing) {  // a number would move all scores alike
      ASSIGN_OR_RETURN(scores, Sum(node, scores, mask));
    }
  }
  const int64_t last = std::ssize(scores.shape()) - 1;
  ASSIGN_OR_RETURN(const Operand weights, node.Emit(quant::Softmax{last}, {scores}, "weights"));
  return node.FinishAs(MatrixProduct(node, weights, v, 1));
}

}  // namespace tally::openvino
