#include "bench/cuda/linear_problem.h"

#include <algorithm>
#include <cstring>

#include "base/int_math.h"
#include "base/tensor.h"
#include "bench/models/layer_writer.h"
#include "ops/cuda/gemm/gemm.h"
#include "ops/kernel.h"
#include "ops/linear/attrs.h"
#include "quant/grid/fixed_multiplier.h"

namespace tally::bench {
namespace {

constexpr Interval kBytes = RangeOf(Storage::kI8), kWords = RangeOf(Storage::kI32);

int64_t RowsOf(const MatmulShape& s) { return s.m; }
int64_t RowsOf(const ConvShape& s) { return s.batch * s.out_height() * s.out_width(); }
int64_t DepthOf(const MatmulShape& s) { return s.k; }
int64_t DepthOf(const ConvShape& s) { return s.taps(); }
int64_t ColumnsOf(const MatmulShape& s) { return s.n; }
int64_t ColumnsOf(const ConvShape& s) { return s.out_channels; }
int64_t InputsOf(const MatmulShape& s) { return s.m * s.k; }
int64_t InputsOf(const ConvShape& s) { return s.batch * s.height * s.width * s.in_channels; }

}  // namespace

LinearProblem::LinearProblem(const std::variant<MatmulShape, ConvShape>& shape) {
  std::visit(
      [&](const auto& s) {
        rows_ = RowsOf(s);
        depth_ = DepthOf(s);
        columns_ = ColumnsOf(s);
        x_.resize(static_cast<size_t>(InputsOf(s)));
      },
      shape);
  if (const auto* convolution = std::get_if<ConvShape>(&shape)) convolution_ = *convolution;
  RandomSource random(1);
  for (int8_t& x : x_) x = static_cast<int8_t>(random.Next());
  constexpr double kInputRms = 74;          // for codes that are spread evenly
  constexpr double kDeviation = 127.0 / 3;  // for results
  DenseLayer layer = RandomDense(depth_, columns_, 0, 0, kInputRms, kDeviation, random);
  weights_ = std::move(layer.weights);
  gains_ = std::move(layer.gains);
  for (const double gain : gains_) {
    const quant::FixedMultiplier fixed = quant::ToFixedMultiplier(gain, kWords.hi).value();
    scales_.push_back({.multiplier = static_cast<int32_t>(fixed.multiplier),
                       .shift = static_cast<int>(fixed.shift),
                       .lo = kBytes.lo,
                       .hi = kBytes.hi});
  }
}

std::optional<cuda::Work> LinearProblem::WorkFor(cuda::Arch arch, ResultForm form) const {
  const Interval sums = {-(int64_t{1} << 14) * depth_, (int64_t{1} << 14) * depth_};
  KernelFacts facts = {.accumulator = sums};
  std::vector<int8_t> weights;
  TensorType types[2] = {{{}, kBytes}, {{}, kBytes}}, result = {{}, kWords};
  Attributes attributes;
  if (convolution_) {
    const ConvShape& s = *convolution_;
    const auto both = [](int64_t v) { return std::vector<int64_t>{v, v}; };
    facts.op = Opcode::kConvolution;
    facts.layout = Layout::kChannelsLast;
    attributes = Pack(ConvolutionAttrs{
        .stride = both(s.stride), .dilation = both(1), .pad_begin = both(s.pad), .pad_end = both(s.pad)});
    types[0].shape = *Shape::Create({s.batch, s.in_channels, s.height, s.width});
    types[1].shape = *Shape::Create({s.out_channels, s.in_channels, s.kernel, s.kernel});
    result.shape = *Shape::Create({s.batch, s.out_channels, s.out_height(), s.out_width()});
    // A constant is row-major: channels before taps.
    const int64_t taps = s.kernel * s.kernel;
    weights.resize(weights_.size());
    for (int64_t n = 0; n < columns_; ++n) {
      for (int64_t k = 0; k < depth_; ++k) {
        weights[n * depth_ + k % s.in_channels * taps + k / s.in_channels] = weights_[n * depth_ + k];
      }
    }
  } else {
    facts.op = Opcode::kMatmul;
    attributes = Pack(MatmulAttrs{.transpose_b = true});
    types[0].shape = *Shape::Create({rows_, depth_});
    types[1].shape = *Shape::Create({columns_, depth_});
    result.shape = *Shape::Create({rows_, columns_});
  }
  const TensorView constant = {Storage::kI8, types[1].shape, Bytes(convolution_ ? weights : weights_)};
  const TensorView* const constants[] = {nullptr, &constant};
  const Storage storages[] = {Storage::kI8, Storage::kI8};
  facts.attributes = &attributes;
  facts.operands = types;
  facts.storages = storages;
  facts.constants = constants;
  facts.results = {&result, 1};
  cuda::GemmFusion fusion = {.y = result, .y_layout = facts.layout};
  if (form == ResultForm::kCodes) {
    fusion.y.interval = kBytes;
    fusion.scale = scales_;
  }
  return cuda::PrepareGemm(facts, fusion, {arch});
}

template <typename Piece>
void LinearProblem::ForPieces(int64_t row, Piece piece) const {
  if (!convolution_) return piece(0, x_.data() + row * depth_, depth_);
  const ConvShape& s = *convolution_;
  const int64_t pixels = s.out_height() * s.out_width(), image = row / pixels, pixel = row % pixels;
  const int64_t top = pixel / s.out_width() * s.stride - s.pad,
                left = pixel % s.out_width() * s.stride - s.pad;
  for (int64_t ky = std::max<int64_t>(0, -top); ky < std::min(s.kernel, s.height - top); ++ky) {
    for (int64_t kx = std::max<int64_t>(0, -left); kx < std::min(s.kernel, s.width - left); ++kx) {
      const int64_t place = (image * s.height + top + ky) * s.width + left + kx;
      piece((ky * s.kernel + kx) * s.in_channels, x_.data() + place * s.in_channels, s.in_channels);
    }
  }
}

int64_t LinearProblem::peer_depth() const { return RoundUp(depth_, 16); }

std::vector<int8_t> LinearProblem::PeerRows() const {
  if (!convolution_ && depth_ == peer_depth()) return x_;
  std::vector<int8_t> rows(static_cast<size_t>(rows_ * peer_depth()));
  for (int64_t r = 0; r < rows_; ++r) {
    ForPieces(r, [&](int64_t k, const int8_t* values, int64_t count) {
      std::memcpy(rows.data() + r * peer_depth() + k, values, static_cast<size_t>(count));
    });
  }
  return rows;
}

std::vector<int8_t> LinearProblem::PeerColumns() const {
  if (depth_ == peer_depth()) return weights_;
  std::vector<int8_t> columns(static_cast<size_t>(columns_ * peer_depth()));
  for (int64_t n = 0; n < columns_; ++n) {
    std::memcpy(columns.data() + n * peer_depth(), weights_.data() + n * depth_, static_cast<size_t>(depth_));
  }
  return columns;
}

std::vector<float> LinearProblem::PeerScales() const { return {gains_.begin(), gains_.end()}; }

int64_t LinearProblem::Expected(int64_t row, int64_t column, ResultForm form) const {
  int64_t sum = 0;
  ForPieces(row, [&](int64_t k, const int8_t* values, int64_t count) {
    const int8_t* const w = weights_.data() + column * depth_ + k;
    for (int64_t i = 0; i < count; ++i) sum += int64_t{values[i]} * w[i];
  });
  return form == ResultForm::kAccumulators ? sum
                                           : Rescale<int64_t>(sum, scales_[static_cast<size_t>(column)]);
}

int64_t StoredAt(std::span<const uint8_t> result, int64_t index, ResultForm form) {
  return LoadElement(form == ResultForm::kAccumulators ? Storage::kI32 : Storage::kI8, result.data(), index);
}

}  // namespace tally::bench
