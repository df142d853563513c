// Arithmetic, comparisons and choices of two values, and conversions.
#include "frontends/graph/compositions/arithmetic.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/openvino/constant_codes.h"
#include "frontends/openvino/element_type.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using Kind = quant::IntegerArithmetic::Kind;

struct Pair {
  Operand a, b;
};

// Two operands that broadcast as numpy's do, or not at all.
absl::StatusOr<Pair> ReadPair(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  Pair read;
  ASSIGN_OR_RETURN(read.a, node.Input(0));
  ASSIGN_OR_RETURN(read.b, node.Input(1));
  ASSIGN_OR_RETURN(const std::string how, node.Word("auto_broadcast", "numpy"));
  if (how == "numpy") return read;
  if (how != "none" && how != "explicit") return Unsupported("auto_broadcast " + PrintableStart(how));
  if (read.a.shape() == read.b.shape()) return read;
  return MakeError(label::model_shape, "its operands are " + quant::ToString(read.a.shape()) + " and " +
                                           quant::ToString(read.b.shape()) +
                                           "; with auto_broadcast=\"none\" they must have one shape");
}

absl::Status FinishPair(IrNode& node, Pairwise f) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  return node.FinishAs(f(node, read.a, read.b));
}

absl::Status FinishPair(IrNode& node, quant::Op op) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  return node.Finish(std::move(op), {read.a, read.b});
}

absl::Status FinishAsType(IrNode& node, const Operand& x, const IrType& type) {
  if (type.kind == IrType::Kind::kFlag) {
    ASSIGN_OR_RETURN(const Operand zero, ZeroLike(node, x));
    return node.Finish(quant::Compare{Comparison::kNotEqual}, {x, zero});
  }
  if (type.is_float() != x.is_integer()) return node.FinishAs(x);
  if (type.is_float()) {
    ASSIGN_OR_RETURN(Operand floats, node.Emit(quant::ToFloat{}, {x}, "floats"));
    return node.FinishAs(WithIntegersAsCodes(std::move(floats), x));
  }
  return node.Finish(quant::ToInteger{}, {x});
}

}  // namespace

absl::Status ImportAdd(IrNode& node) { return FinishPair(node, Sum); }
absl::Status ImportSubtract(IrNode& node) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  ASSIGN_OR_RETURN(Operand result, Difference(node, read.a, read.b));
  return node.FinishAs(WithCodesLess(std::move(result), read.a, read.b));
}
absl::Status ImportMultiply(IrNode& node) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  ASSIGN_OR_RETURN(Operand result, Product(node, read.a, read.b));
  const bool has_codes = read.a.constant_codes != nullptr;
  return node.FinishAs(
      WithCodesTimes(std::move(result), has_codes ? read.a : read.b, has_codes ? read.b : read.a));
}
absl::Status ImportMaximum(IrNode& node) { return FinishPair(node, Larger); }
absl::Status ImportMinimum(IrNode& node) { return FinishPair(node, Smaller); }
absl::Status ImportPower(IrNode& node) { return FinishPair(node, PowerOf); }

absl::Status ImportDivide(IrNode& node) {
  ASSIGN_OR_RETURN(const bool floors, node.Flag("m_pythondiv", true));
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  return node.FinishAs(read.a.is_integer() && floors ? FloorQuotient(node, read.a, read.b)
                                                     : Quotient(node, read.a, read.b));
}

absl::Status ImportFloorMod(IrNode& node) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  return node.FinishAs(RemainderOf(node, read.a, read.b, /*like_dividend=*/false));
}

absl::Status ImportMod(IrNode& node) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  return node.FinishAs(RemainderOf(node, read.a, read.b, /*like_dividend=*/true));
}

absl::Status ImportSquaredDifference(IrNode& node) {
  ASSIGN_OR_RETURN(const Pair read, ReadPair(node));
  ASSIGN_OR_RETURN(const Operand difference, Difference(node, read.a, read.b));
  return node.FinishAs(Product(node, difference, difference));
}

absl::Status ImportEqual(IrNode& node) { return FinishPair(node, quant::Compare{Comparison::kEqual}); }
absl::Status ImportGreater(IrNode& node) { return FinishPair(node, quant::Compare{Comparison::kGreater}); }
absl::Status ImportGreaterEqual(IrNode& node) {
  return FinishPair(node, quant::Compare{Comparison::kGreaterEqual});
}
absl::Status ImportLess(IrNode& node) { return FinishPair(node, quant::Compare{Comparison::kLess}); }
absl::Status ImportLessEqual(IrNode& node) {
  return FinishPair(node, quant::Compare{Comparison::kLessEqual});
}
absl::Status ImportLogicalAnd(IrNode& node) { return FinishPair(node, quant::IntegerArithmetic{Kind::kMin}); }
absl::Status ImportLogicalOr(IrNode& node) { return FinishPair(node, quant::IntegerArithmetic{Kind::kMax}); }
absl::Status ImportLogicalXor(IrNode& node) {
  return FinishPair(node, quant::Compare{Comparison::kNotEqual});
}

absl::Status ImportLogicalNot(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(Not(node, x));
}

absl::Status ImportSelect(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const std::string how, node.Word("auto_broadcast", "numpy"));
  ASSIGN_OR_RETURN(const Operand condition, node.Input(0));
  ASSIGN_OR_RETURN(const Operand a, node.SaturatedInput(1));
  ASSIGN_OR_RETURN(const Operand b, node.SaturatedInput(2));
  if (how == "none" && (condition.shape() != a.shape() || a.shape() != b.shape()))
    return MakeError(label::model_shape,
                     "its operands differ in shape; with auto_broadcast=\"none\" they must have one");
  return node.Finish(quant::Where{}, {condition, a, b});
}

// The number of bounds of an ascending list that are below x; at most x, if a bound belongs to its right
// side.
absl::Status ImportBucketize(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand bounds, node.InputOrEmpty(1));
  ASSIGN_OR_RETURN(const bool bound_is_left, node.Flag("with_right_bound", true));
  RETURN_IF_ERROR(node.Word("output_type", "i64").status());
  if (!bounds.is_constant() || bounds.shape().size() != 1)
    return MakeError(label::model_unsupported_operand, "its bounds are not a list that is a constant");
  if (bounds.shape()[0] == 0) {
    return node.FinishAsConstant(quant::Int64Tensor{
        x.shape(), std::vector<int64_t>(static_cast<size_t>(quant::NumElements(x.shape())))});
  }
  quant::Shape column = x.shape();
  column.push_back(1);
  ASSIGN_OR_RETURN(const Operand each, node.Emit(quant::Reshape{column}, {x}, "each"));
  const quant::Compare is_below = {bound_is_left ? Comparison::kLess : Comparison::kLessEqual};
  ASSIGN_OR_RETURN(const Operand below, node.Emit(is_below, {bounds, each}, "below"));
  return node.Finish(quant::ReduceSum{{std::ssize(x.shape())}, false}, {below});
}

// Reals and integers are neither infinite nor without a value.
absl::Status ImportIsNaN(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(quant::Compare{Comparison::kNotEqual}, {x, x});
}
absl::Status ImportIsFinite(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(quant::Compare{Comparison::kEqual}, {x, x});
}

absl::Status ImportConvert(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const std::string name, node.Word("destination_type"));
  ASSIGN_OR_RETURN(const IrType type, IrTypeOf(name));
  return FinishAsType(node, x, type);
}

// Types are three here: floats, integers, and flags, which are integers.
absl::Status ImportConvertLike(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand like, node.Input(1));
  const IrType type = like.is_integer() ? IrType{64, IrType::Kind::kSigned} : IrType{};
  return FinishAsType(node, x, type);
}

}  // namespace tally::openvino
