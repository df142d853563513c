// The view that the importer of one ncnn layer has: a layer (frontends/graph/layer.h), its parameters and its
// weights.
//
// A blob has no batch: [w], [h, w], [c, h, w] or [c, d, h, w], as in memory. The graph's values have one more
// axis in front, a batch of 1, so axis k of a blob is axis k + 1 here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/layer.h"
#include "frontends/graph/refusals.h"
#include "frontends/ncnn/param_file.h"
#include "frontends/ncnn/weight_file.h"

namespace tally::ncnn {

using namespace frontend;  // the words that importers of all formats share
using frontend::Operand;   // not the operand of a reference (ops/reference.h)

inline constexpr int64_t kNone = -233;  // ncnn's number for what is not given, or left out

class NcnnLayer : public Layer {
 public:
  NcnnLayer(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read, Params& params,
            WeightFile& weights)
      : Layer(std::move(names), scope, read), params_(params), weights_(weights) {}

  Params& params() { return params_; }
  WeightFile& weights() { return weights_; }

  absl::StatusOr<int64_t> Int(int id, int64_t fallback) { return params_.Int(id, fallback); }
  absl::StatusOr<float> Float(int id, float fallback) { return params_.Float(id, fallback); }
  absl::StatusOr<bool> Flag(int id, bool fallback) {
    const auto value = params_.Int(id, fallback);
    if (!value.ok()) return value.status();
    return *value != 0;
  }

  // The next weights as a constant. Errors: those of WeightFile.
  absl::StatusOr<Operand> RawWeights(const quant::Shape& shape, std::string_view step);

 private:
  Params& params_;
  WeightFile& weights_;
};

// The numbers of a list of sizes, which may be expressions of the shapes of the inputs (expression.h).
// Errors: those of EvaluateSizes.
absl::StatusOr<std::vector<int64_t>> SizesOf(NcnnLayer& layer, std::string_view text);

// Rank and dimensions without the batch.
inline size_t BlobRank(const Operand& x) { return x.shape().size() - 1; }
inline quant::Shape BlobOf(const quant::Shape& shape) { return {shape.begin() + 1, shape.end()}; }
inline quant::Shape WithBatch(quant::Shape blob) {
  blob.insert(blob.begin(), 1);
  return blob;
}

// x with the dimensions of `blob`; x itself where it has them.
absl::StatusOr<Operand> AsBlob(Emitter& emitter, const Operand& x, const quant::Shape& blob,
                               std::string_view step);

// An axis of a blob, counted from the outermost, or from the end where it is negative, as one of the graph.
// Errors: model_malformed.
absl::StatusOr<int64_t> AxisOf(int64_t axis, const Operand& x);

// A list [c] along the outermost axis of a blob.
absl::StatusOr<Operand> PerChannel(Emitter& emitter, const Operand& list, const Operand& x);

// Both operands of an operator on elements, broadcast as ncnn does.
absl::StatusOr<std::array<Operand, 2>> BroadcastBlobs(NcnnLayer& layer, Operand a, Operand b);

// A tagged constant of floats. Errors: those of WeightFile; model_unsupported_type for codes.
absl::StatusOr<Operand> TaggedWeights(NcnnLayer& layer, const quant::Shape& shape, std::string_view step);

// y after the activation that a layer's activation_type (`type_id`) and its parameters (the next id) say: 0
// nothing, 1 ReLU, 2 leaky ReLU, 3 clip, 4 sigmoid, 5 Mish, 6 hard swish. Errors: model_malformed.
absl::StatusOr<Operand> Activated(NcnnLayer& layer, const Operand& y, int type_id);

}  // namespace tally::ncnn
