// Norms as files have them, and softmaxes over several axes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"
#include "frontends/graph/window.h"

namespace tally::frontend {

// Scale and offset of a norm, each a list; both, or neither.
struct NormWeights {
  std::optional<Operand> scale = {}, bias = {};
};

// x [N, C, ..], each channel normalized over the axes after it; weights [C]. Errors: model_shape.
absl::StatusOr<Operand> InstanceNorm(Emitter& emitter, const Operand& x, float epsilon,
                                     const NormWeights& weights);

// x [N, C, ..], each group of C / groups channels normalized; weights [groups], or [C] where `by_channel`.
// Errors: model_shape; model_malformed where the groups do not divide the channels.
absl::StatusOr<Operand> GroupNorm(Emitter& emitter, const Operand& x, int64_t groups, float epsilon,
                                  const NormWeights& weights, bool by_channel);

// x [N, C, ..] times `scale` plus `bias`, lists [C]: a norm of mean 0 and variance 1, which rounds once.
absl::StatusOr<Operand> ChannelAffine(Emitter& emitter, const Operand& x, const Operand& scale,
                                      const Operand& bias);

// x [N, C, ..], less `mean` and through sqrt(variance + epsilon), times `scale` plus `bias`: lists [C]. Other
// than those of a BatchNorm they may be computed. Errors: model_shape.
struct ChannelStatistics {
  Operand scale, bias, mean, variance;
};
absl::StatusOr<Operand> ChannelNorm(Emitter& emitter, const Operand& x, const ChannelStatistics& statistics,
                                    float epsilon);

// x / sqrt(sum of x^2 over `axes`, which ascend, + epsilon).
absl::StatusOr<Operand> L2Norm(Emitter& emitter, const Operand& x, const std::vector<int64_t>& axes,
                               float epsilon);

// x / max(sqrt(sum of x^2 over `axes`), least); least > 0.
absl::StatusOr<Operand> L2NormFrom(Emitter& emitter, const Operand& x, const std::vector<int64_t>& axes,
                                   float least);

// x [N, C, H, W] times (bias + alpha * the mean of x^2 in a window around it, outside of x 0)^-beta.
struct WindowNorm {
  LayerWindows windows;
  float alpha = 1, beta = 0.75f, bias = 1;
};
absl::StatusOr<Operand> LocalNormWithin(Emitter& emitter, const Operand& x, const WindowNorm& norm);

// The intermediate values of a norm of x over `axes`, which ascend; axes stay as 1.
struct NormStatistics {
  Operand mean;
  Operand inverse_deviation;  // 1 / sqrt(variance + epsilon)
};
absl::StatusOr<NormStatistics> StatisticsOf(Emitter& emitter, const Operand& x,
                                            const std::vector<int64_t>& axes, float epsilon);

// Softmax, or its logarithm, over all axes from `axis` on as if they were one.
absl::StatusOr<Operand> FlatSoftmax(Emitter& emitter, const Operand& x, int64_t axis, bool is_log);

}  // namespace tally::frontend
