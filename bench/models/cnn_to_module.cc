#include "bench/models/cnn.h"
#include "ops/layout/attrs.h"
#include "ops/pooling/attrs.h"

namespace tally::bench {
namespace {

using Kind = CnnLayer::Kind;

class CnnWriter {
 public:
  explicit CnnWriter(const Cnn& net) : net_(net) {}

  Module Write(bool channels_last) && {
    const CnnTensor& image = net_.tensor(0);
    const int64_t n = net_.batch();
    const Interval codes = {image.grid.lo, image.grid.hi};
    if (channels_last) {
      const ValueId x = b_.Param("image", TypeOf({n, image.height, image.width, image.channels}, codes));
      values_.push_back(b_.Op(Opcode::kTranspose, {x}, TransposeAttrs{.axes = {0, 3, 1, 2}}));
    } else {
      values_.push_back(b_.Param("image", TypeOf({n, image.channels, image.height, image.width}, codes)));
    }
    for (size_t i = 0; i < net_.layers().size(); ++i) {
      values_.push_back(Write(net_.layers()[i], net_.tensors()[i + 1]));
    }
    ValueId result = values_.back();
    if (channels_last) result = b_.Op(Opcode::kTranspose, {result}, TransposeAttrs{.axes = {0, 2, 3, 1}});
    b_.Result("result", result);
    return std::move(b_).Build();
  }

 private:
  ValueId Operand(const CnnLayer& layer, size_t i) const {
    return values_[static_cast<size_t>(layer.inputs[i])];
  }
  const CnnTensor& In(const CnnLayer& layer) const { return net_.tensor(layer.inputs[0]); }

  ValueId Write(const CnnLayer& layer, const CnnTensor& to) {
    switch (layer.kind) {
      case Kind::kConv:
        return WriteConv(b_, Operand(layer, 0),
                         {.shape = layer.shape,
                          .zero_x = In(layer).grid.zero,
                          .weights = layer.weights,
                          .bias = layer.bias,
                          .gains = layer.gains},
                         to.grid);
      case Kind::kAdd:
        return WriteLincomb(b_, {Operand(layer, 0), Operand(layer, 1)},
                            {In(layer).grid.zero, net_.tensor(layer.inputs[1]).grid.zero}, layer.gains,
                            to.grid);
      case Kind::kMaxPool:
        return b_.Op(Opcode::kMaxPool, {Operand(layer, 0)},
                     PoolAttrs{.kernel = Both(layer.shape.kernel),
                               .stride = Both(layer.shape.stride),
                               .dilation = Both(1),
                               .pad_begin = Both(layer.shape.pad),
                               .pad_end = Both(layer.shape.pad)});
      case Kind::kGlobalAveragePool: return WriteAverage(layer, to);
      case Kind::kDense: return WriteDenseOf(layer, to);
    }
    return 0;
  }

  ValueId WriteAverage(const CnnLayer& layer, const CnnTensor& to) {
    const CnnTensor& in = In(layer);
    constexpr int64_t kShift = 16;
    return b_.Op(Opcode::kAveragePool, {Operand(layer, 0)},
                 AveragePoolAttrs{.kernel = {in.height, in.width},
                                  .stride = Both(1),
                                  .dilation = Both(1),
                                  .pad_begin = Both(0),
                                  .pad_end = Both(0),
                                  .zero_in = in.grid.zero,
                                  .multiplier = static_cast<int64_t>(layer.gains[0] * (1 << kShift)),
                                  .shift = kShift,
                                  .zero_out = to.grid.zero,
                                  .lo = to.grid.lo,
                                  .hi = to.grid.hi});
  }

  ValueId WriteDenseOf(const CnnLayer& layer, const CnnTensor& to) {
    const CnnTensor& in = In(layer);
    const ValueId rows =
        b_.Op(Opcode::kReshape, {Operand(layer, 0)}, ReshapeAttrs{.shape = {net_.batch(), in.channels}});
    return WriteDense(b_, rows,
                      {.inputs = in.channels,
                       .units = to.channels,
                       .zero_x = in.grid.zero,
                       .weights = layer.weights,
                       .bias = layer.bias,
                       .gains = layer.gains},
                      to.grid);
  }

  static std::vector<int64_t> Both(int64_t v) { return {v, v}; }

  const Cnn& net_;
  ModuleBuilder b_{Profile::kCore};
  std::vector<ValueId> values_;
};

}  // namespace

Module CnnToModule(const Cnn& net, bool channels_last) { return CnnWriter(net).Write(channels_last); }

}  // namespace tally::bench
