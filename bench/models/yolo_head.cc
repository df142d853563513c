#include "bench/models/yolo_head.h"

#include <array>
#include <cmath>
#include <string>

#include "bench/models/layer_writer.h"
#include "bench/models/moments.h"
#include "ops/detection/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"

namespace tally::bench {
namespace {

constexpr int64_t kAnchors = 3;      // per cell
constexpr int64_t kUnits = 16;       // a pixel's
constexpr int kLogitBits = 4;        // codes of 1 / 16
constexpr int kCellBits = 10;        // for a position inside a cell
constexpr int kSideBits = 8;         // for the factor for an anchor's side
constexpr double kObjectLogit = -4;  // most places hold no object
constexpr double kClassLogit = -3;

struct Scale {
  int64_t channels, cells, stride;
  std::array<std::array<int64_t, 2>, kAnchors> anchors;  // width and height in pixels
};

constexpr std::array kScales = {
    Scale{512, 13, 32, {{{116, 90}, {156, 198}, {373, 326}}}},
    Scale{256, 26, 16, {{{30, 61}, {62, 45}, {59, 119}}}},
    Scale{128, 52, 8, {{{10, 13}, {16, 30}, {33, 23}}}},
};

class YoloWriter {
 public:
  explicit YoloWriter(const ModelOptions& options)
      : batch_(options.batch), classes_(options.Scaled(80, 2)), options_(options) {}

  YoloHead Write() && {
    std::vector<ValueId> maps;
    for (const Scale& scale : kScales) {
      const int64_t cells = Cells(scale);
      maps.push_back(b_.Param("map" + std::to_string(scale.cells),
                              TypeOf({batch_, Channels(scale), cells, cells}, {-128, 127})));
    }
    leaky_ = WriteIntegers(b_, LeakyEntries());
    position_ = Table(RecipeFunction::kSigmoid, kCellBits, 1 << kCellBits);
    probability_ = Table(RecipeFunction::kSigmoid, 8, 255);
    side_ = Table(RecipeFunction::kExp, kSideBits, 32767);
    for (size_t i = 0; i < kScales.size(); ++i) WriteScale(maps[i], kScales[i]);
    const ValueId boxes = b_.Op(Opcode::kConcatenate, boxes_, ConcatenateAttrs{.axis = 1});
    const ValueId scores = b_.Op(Opcode::kConcatenate, scores_, ConcatenateAttrs{.axis = 2});
    const ValueId selected = b_.Op(Opcode::kNms, {boxes, scores},
                                   NmsAttrs{.encoding = BoxEncoding::kCenter,
                                            .iou_numerator = 9,
                                            .iou_denominator = 20,
                                            .min_score = 64 - 128,  // a quarter
                                            .top_k = 400,
                                            .max_per_class = 100,
                                            .max_per_batch = 100,
                                            .order = NmsOrder::kScore,
                                            .batches = NmsBatches::kApart});
    b_.Result("selected", selected);
    b_.Result("count", selected + 1);
    b_.Result("boxes", boxes);
    return {std::move(b_).Build(), std::move(convolutions_)};
  }

 private:
  int64_t Cells(const Scale& scale) const { return options_.Scaled(scale.cells, 2); }
  int64_t Channels(const Scale& scale) const { return options_.Scaled(scale.channels, 4); }

  void WriteScale(ValueId map, const Scale& scale) {
    const int64_t area = Cells(scale) * Cells(scale);
    const ValueId inner = Conv(map, Channels(scale), 2 * Channels(scale), 3, Cells(scale), false);
    const ValueId bent = b_.Op(Opcode::kTable, {inner, leaky_}, TableAttrs{.offset = -128});
    const ValueId logits = Conv(bent, 2 * Channels(scale), kAnchors * (5 + classes_), 1, Cells(scale), true);
    const ValueId fields =
        b_.Op(Opcode::kReshape, {logits}, ReshapeAttrs{.shape = {batch_, kAnchors, 5 + classes_, area}});
    boxes_.push_back(Boxes(fields, scale, area));
    scores_.push_back(Scores(fields, area));
  }

  ValueId Conv(ValueId x, int64_t in, int64_t out, int64_t kernel, int64_t cells, bool logits) {
    ConvLayer layer{.shape = {.batch = batch_,
                              .in_channels = in,
                              .out_channels = out,
                              .height = cells,
                              .width = cells,
                              .kernel = kernel,
                              .pad = kernel / 2},
                    .weights = random_.Weights(out * in * kernel * kernel),
                    .bias = {},
                    .gains = {}};
    convolutions_.push_back(layer.shape);
    const double rms = logits ? 24 : kInputRms;  // for what leaky leaves of 8 bits
    const double spread = kWeightDeviation * rms * std::sqrt(static_cast<double>(layer.shape.taps()));
    for (int64_t c = 0; c < out; ++c) {
      layer.gains.push_back((logits ? 1.5 * (1 << kLogitBits) : 127.0 / 4) * Spread(random_) / spread);
      const int64_t field = c % (5 + classes_);
      const double logit = !logits || field < 4 ? 0 : field == 4 ? kObjectLogit : kClassLogit;
      layer.bias.push_back(
          static_cast<int32_t>(std::llround(logit * (1 << kLogitBits) / layer.gains.back())));
    }
    return WriteConv(b_, x, layer, kSigned8);
  }

  // x for x >= 0, a tenth of it below.
  static std::vector<int64_t> LeakyEntries() {
    std::vector<int64_t> entries;
    for (int64_t x = -128; x < 128; ++x) entries.push_back(x >= 0 ? x : (x * 205 + 1024) >> 11);
    return entries;
  }

  ValueId Table(RecipeFunction function, int bits, int64_t hi) {
    Recipe recipe{.function = function, .first = -128, .count = 256, .lo = 0, .hi = hi};
    recipe.in = {.multiplier = 1, .shift = kLogitBits};
    recipe.out = {.multiplier = 1, .shift = bits};
    return b_.Constant(recipe).value();
  }

  ValueId Look(ValueId fields, ValueId table, int64_t begin, int64_t end) {
    const ValueId slice = b_.Op(Opcode::kStridedSlice, {fields},
                                StridedSliceAttrs{.begin = {0, 0, begin},
                                                  .end = {static_cast<int64_t>(batch_), kAnchors, end},
                                                  .stride = {1, 1, 1}});
    return b_.Op(Opcode::kTable, {slice, table}, TableAttrs{.offset = -128});
  }

  ValueId Constant(std::initializer_list<int64_t> dims, std::span<const int64_t> values) {
    return b_.Constant(Tensor::FromValues(Shape::Create(dims).value(), values).value());
  }

  // [batch, boxes, 4]: center = (position + cell) * stride, side = anchor * factor.
  ValueId Boxes(ValueId fields, const Scale& scale, int64_t area) {
    std::vector<int64_t> cells;
    for (int axis = 0; axis < 2; ++axis) {
      for (int64_t i = 0; i < area; ++i) {
        cells.push_back((axis == 0 ? i % Cells(scale) : i / Cells(scale)) << kCellBits);
      }
    }
    const ValueId places =
        b_.Op(Opcode::kBroadcastAdd, {Look(fields, position_, 0, 2), Constant({1, 1, 2, area}, cells)});
    const int64_t limit = Cells(scale) * scale.stride * kUnits;
    const double gain = static_cast<double>(scale.stride * kUnits) / (1 << kCellBits);
    const ValueId centers = WriteRescale(b_, places, std::array{gain}, 0, {.lo = 0, .hi = limit});
    std::vector<int64_t> anchors;
    for (const auto& anchor : scale.anchors) {
      for (const int64_t side : anchor) anchors.push_back(side * kUnits);
    }
    const ValueId sides =
        b_.Op(Opcode::kMulshift, {Look(fields, side_, 2, 4), Constant({1, kAnchors, 2, 1}, anchors)},
              MulshiftAttrs{.shift = kSideBits, .lo = 0, .hi = 2 * limit});
    const ValueId boxes = b_.Op(Opcode::kConcatenate, {centers, sides}, ConcatenateAttrs{.axis = 2});
    const ValueId rows = b_.Op(Opcode::kTranspose, {boxes}, TransposeAttrs{.axes = {0, 1, 3, 2}});
    return b_.Op(Opcode::kReshape, {rows}, ReshapeAttrs{.shape = {batch_, kAnchors * area, 4}});
  }

  // [batch, classes, boxes]: the products of both probabilities in 1 / 256, less 128.
  ValueId Scores(ValueId fields, int64_t area) {
    const ValueId scores = b_.Op(
        Opcode::kMulshift, {Look(fields, probability_, 4, 5), Look(fields, probability_, 5, 5 + classes_)},
        MulshiftAttrs{.shift = 8, .zero_out = -128, .lo = -128, .hi = 127});
    const ValueId lists = b_.Op(Opcode::kTranspose, {scores}, TransposeAttrs{.axes = {0, 2, 1, 3}});
    return b_.Op(Opcode::kReshape, {lists}, ReshapeAttrs{.shape = {batch_, classes_, kAnchors * area}});
  }

  int64_t batch_, classes_;
  ModelOptions options_;
  RandomSource random_{13};
  ModuleBuilder b_{Profile::kCore};
  ValueId leaky_ = 0, position_ = 0, probability_ = 0, side_ = 0;
  std::vector<ValueId> boxes_, scores_;
  std::vector<ConvShape> convolutions_;
};

}  // namespace

YoloHead BuildYoloHead(const ModelOptions& options) { return YoloWriter(options).Write(); }

}  // namespace tally::bench
