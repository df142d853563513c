#include <algorithm>
#include <array>
#include <cmath>

#include "bench/models/bert_layer.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/table/attrs.h"

namespace tally::bench {
namespace {

constexpr double kResidualGain = 64;  // codes of the residual, 16 bits, for one code of its 8-bit part

// E[d] = round(2^30 exp(-d / 2^kLogitBits)), up to the last entry that is not 0.
Tensor ExponentialTable() {
  Recipe recipe{.function = RecipeFunction::kExp, .first = -8191, .count = 8192, .lo = 0, .hi = 1 << 30};
  recipe.in = {.multiplier = 1, .shift = kLogitBits};
  recipe.out = {.multiplier = 1, .shift = 30};
  std::vector<int64_t> entries = Expand(recipe).value();
  std::reverse(entries.begin(), entries.end());
  while (entries.back() == 0) entries.pop_back();
  return Tensor::FromValues(Shape::Create({static_cast<int64_t>(entries.size())}).value(), entries).value();
}

class BertWriter {
 public:
  explicit BertWriter(const BertLayer& bert) : bert_(bert) {}

  Module Write() && {
    const ValueId x = b_.Param("x", TypeOf({bert_.rows(), bert_.hidden}, {-128, 127}));
    const ValueId attended = WriteDense(b_, WriteAttention(x), bert_.output, kSigned8);
    const ValueId y = WriteNorm(WriteResidual(x, attended), bert_.attention_norm);
    const ValueId inner = WriteGelu(WriteDense(b_, y, bert_.expand, kSigned8));
    const ValueId z = WriteDense(b_, inner, bert_.contract, kSigned8);
    b_.Result("y", WriteNorm(WriteResidual(y, z), bert_.result_norm));
    return std::move(b_).Build();
  }

 private:
  ValueId WriteAttention(ValueId x) {
    const ValueId q = SplitHeads(WriteDense(b_, x, bert_.query, kSigned8));
    const ValueId k = SplitHeads(WriteDense(b_, x, bert_.key, kSigned8));
    const ValueId v = SplitHeads(WriteDense(b_, x, bert_.value, kSigned8));
    const ValueId sums = b_.Op(Opcode::kMatmul, {q, k}, MatmulAttrs{.transpose_b = true});
    const ValueId logits = WriteRescale(b_, sums, std::array{bert_.logit_gain}, 0, kSigned16);
    const ValueId p = b_.Op(Opcode::kSoftmax, {logits, b_.Constant(ExponentialTable())},
                            SoftmaxAttrs{.axis = -1, .bits = 15, .lo = 0, .hi = 32767});
    const ValueId context = b_.Op(Opcode::kMatmul, {p, v}, MatmulAttrs{});
    return JoinHeads(WriteRescale(b_, context, std::array{bert_.context_gain}, 0, kSigned8));
  }

  ValueId SplitHeads(ValueId x) {
    const ValueId split =
        b_.Op(Opcode::kReshape, {x},
              ReshapeAttrs{.shape = {bert_.batch, bert_.sequence, bert_.heads, bert_.head_size()}});
    return b_.Op(Opcode::kTranspose, {split}, TransposeAttrs{.axes = {0, 2, 1, 3}});
  }

  ValueId JoinHeads(ValueId x) {
    const ValueId back = b_.Op(Opcode::kTranspose, {x}, TransposeAttrs{.axes = {0, 2, 1, 3}});
    return b_.Op(Opcode::kReshape, {back}, ReshapeAttrs{.shape = {bert_.rows(), bert_.hidden}});
  }

  ValueId WriteResidual(ValueId x, ValueId projected) {
    return WriteLincomb(b_, {x, projected}, {0, 0},
                        std::array{kResidualGain, kResidualGain * bert_.residual_gain}, kSigned16);
  }

  ValueId WriteNorm(ValueId x, const BertNorm& norm) {
    constexpr int kShift = 45, kPointOfZ = 20;  // multipliers have 31 bits then
    std::vector<int64_t> m, bias;
    for (const double gamma : norm.gamma) m.push_back(std::llround(std::ldexp(gamma, kShift - kPointOfZ)));
    for (const double beta : norm.beta) bias.push_back(std::llround(std::ldexp(beta, kShift)));
    return b_.Op(Opcode::kLayerNorm, {x, WriteIntegers(b_, m), WriteIntegers(b_, bias)},
                 LayerNormAttrs{.axes = {-1},
                                .epsilon = bert_.hidden * bert_.hidden,
                                .shift = kShift,
                                .lo = kSigned8.lo,
                                .hi = kSigned8.hi});
  }

  ValueId WriteGelu(ValueId x) {
    Recipe recipe{.function = RecipeFunction::kGelu,
                  .zero_out = kGeluOut.zero,
                  .first = -128,
                  .count = 256,
                  .lo = kGeluOut.lo,
                  .hi = kGeluOut.hi};
    recipe.in = {.multiplier = 1, .shift = kGeluInBits};
    recipe.out = {.multiplier = 1, .shift = kGeluOutBits};
    return b_.Op(Opcode::kTable, {x, b_.Constant(recipe).value()}, TableAttrs{.offset = -128});
  }

  const BertLayer& bert_;
  ModuleBuilder b_{Profile::kCore};
};

}  // namespace

Module BertToModule(const BertLayer& bert) { return BertWriter(bert).Write(); }

}  // namespace tally::bench
