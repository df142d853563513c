// Weighted sums as networks have them: of constant weights, with what engines do in the same step behind them.
#include <algorithm>

#include "fuzz/generators/shaper.h"
#include "fuzz/generators/values.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

class ChainDrawer {
 public:
  ChainDrawer(EntropySource& e, ModuleDraft& draft)
      : e_(e), draft_(draft), is_cvm_(draft.profile() == Profile::kCvm) {}

  // Draws as much of a chain as validates.
  void Draw() {
    ShapeContext c = {InfoOf(Opcode::kConvolution), draft_, e_};
    const int rank = is_cvm_ ? 4 : static_cast<int>(e_.Between(3, 5));
    const DraftId x =
        c.Operand({.min_rank = rank, .max_rank = rank, .within = {-127, 255}, .max_precision = 8});
    keeps_size_ = e_.OneIn(3);
    if (!Sum(x)) return;
    if (keeps_size_ && e_.OneIn(2)) return Join(x);
    const Shape shape = draft_.type(y_).shape;
    if (shape.num_elements() == shape[0] * shape[1]) {
      const std::vector<int64_t> dims = {shape[0], shape[1]};
      is_cvm_ ? Emit(Opcode::kFlatten, {y_}, {})
              : Emit(Opcode::kReshape, {y_}, Pack(ReshapeAttrs{.shape = dims}));
      if (draft_.type(y_).shape.rank() == 2 && !e_.OneIn(4)) AddConstant(shape[1]);
    }
    if (!is_cvm_) Finish();
  }

 private:
  bool Emit(Opcode op, const std::vector<DraftId>& operands, const Attributes& attributes) {
    const ModuleDraft::Mark before = draft_.mark();
    if (!draft_.TryEmit(op, operands, attributes)) {
      draft_.Rollback(before);
      return false;
    }
    y_ = draft_.size() - 1;
    return true;
  }

  DraftId Values(const std::vector<int64_t>& dims, const Interval& interval) {
    return draft_.AddConstant(RandomTensor(e_, {ShapeOf(dims), interval}));
  }

  // A convolution or a transposed one, of all channels or of each by itself; of one size with x, or with one position now
  // and then.
  bool Sum(DraftId x) {
    const Shape shape = draft_.type(x).shape;
    const bool depthwise = e_.OneIn(2), transposed = !is_cvm_ && e_.OneIn(2), whole = e_.OneIn(2);
    const int64_t channels = shape[1], units = depthwise ? 1 : e_.Between(1, 4);
    ConvolutionAttrs a = {.groups = depthwise ? channels : 1};
    std::vector<int64_t> w =
        depthwise || transposed ? std::vector{channels, units} : std::vector{units, channels};
    for (int axis = 2; axis < shape.rank(); ++axis) {
      const int64_t size = shape[axis];
      const int64_t kernel = keeps_size_ ? 1 + 2 * e_.Between(0, 1)
                             : whole     ? size
                                         : e_.Between(1, std::min<int64_t>(size, 3));
      w.push_back(kernel);
      a.stride.push_back(keeps_size_ || whole || !e_.OneIn(3) ? 1 : 2);
      a.dilation.push_back(1);
      // What a transposed convolution cuts may be more than its kernel reaches.
      a.pad_begin.push_back(keeps_size_ ? kernel / 2
                            : whole     ? 0
                                        : e_.Between(0, transposed ? 9 : kernel - 1));
      a.pad_end.push_back(keeps_size_        ? kernel / 2
                          : whole || is_cvm_ ? a.pad_begin.back()
                                             : e_.Between(0, 1));
    }
    const DraftId weights = Values(w, e_.Pick<Interval>({{-127, 127}, {100, 127}, {-127, -100}}));
    if (is_cvm_) {
      return Emit(
          Opcode::kConv2d, {x, weights},
          Pack(Conv2dAttrs{
              .padding = a.pad_begin, .stride = a.stride, .dilation = a.dilation, .groups = a.groups}));
    }
    std::vector<DraftId> operands = {x, weights};
    if (e_.OneIn(2)) operands.push_back(Values({depthwise ? channels : units}, {-100000, 100000}));
    if (!transposed) return Emit(Opcode::kConvolution, operands, Pack(a));
    return Emit(Opcode::kConvTranspose, operands,
                Pack(ConvTransposeAttrs{.stride = a.stride,
                                        .dilation = a.dilation,
                                        .pad_begin = a.pad_begin,
                                        .pad_end = a.pad_end,
                                        .output_padding = std::vector<int64_t>(a.stride.size()),
                                        .groups = a.groups}));
  }

  void Join(DraftId x) {
    const DraftId first = y_;
    if (Sum(x)) Emit(Opcode::kConcatenate, {first, y_}, Pack(ConcatenateAttrs{.axis = 1}));
  }

  void AddConstant(int64_t columns) {
    const DraftId constant = Values({columns}, {-100000, 100000});
    Emit(Opcode::kBroadcastAdd, e_.OneIn(2) ? std::vector{y_, constant} : std::vector{constant, y_}, {});
  }

  void Finish() {
    if (e_.OneIn(2)) {
      const auto one = [&](int64_t v) { return draft_.AddConstant(*Tensor::FromValues(ShapeOf({1}), {v})); };
      Emit(Opcode::kRescale, {y_, one(e_.Between(1, 1 << 30)), one(0), one(e_.Between(20, 40))},
           Pack(RescaleAttrs{.lo = -128, .hi = 127}));
    }
    if (!e_.OneIn(3)) return;
    const Interval clamp = RandomInterval(e_, TensorLimit(Profile::kCore));
    Emit(Opcode::kClip, {y_}, Pack(ClipAttrs{.a_min = clamp.lo, .a_max = clamp.hi}));
  }

  EntropySource& e_;
  ModuleDraft& draft_;
  const bool is_cvm_;
  bool keeps_size_ = false;
  DraftId y_ = 0;
};

}  // namespace

void AddSumChain(EntropySource& e, ModuleDraft& draft) { ChainDrawer(e, draft).Draw(); }

}  // namespace tally
