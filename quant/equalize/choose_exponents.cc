#include "quant/equalize/choose_exponents.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/status_macros.h"
#include "quant/equalize/channel_groups.h"
#include "quant/equalize/channel_statistics.h"
#include "quant/equalize/equalize.h"
#include "quant/equalize/unit_factors.h"
#include "quant/graph/float_executor.h"

namespace tally::quant {
namespace {

constexpr double kAlphas[] = {0, 0.25, 0.5, 0.75, 1};
// The noise that has to remain at most, as the prediction leaves out what grids between do.
constexpr double kWorthIt = 0.8;
// A channel that reaches less than this part of the farthest is treated as if it reached this far: what
// samples did not show would be clipped.
constexpr double kLeastReach = 0x1p-4;
constexpr double kCodes = 255, kWeightCodes = 127;

// A layer that reads a group: how rounding what it reads and its weights shows in what it makes.
class Reader {
 public:
  Reader(const ScaledConstant& constant, const FloatTensor& weights, const ChannelStatistics& x) : x_(x) {
    const ChannelLayout& layout = constant.layout;
    const Shape& shape = weights.shape;
    if (layout.kind != ChannelLayout::Kind::kByAxis) {
      const bool out_first = layout.kind == ChannelLayout::Kind::kOutIn;
      const int64_t outputs = out_first ? shape[0] : shape[1] * layout.groups;
      inputs_ = static_cast<size_t>(out_first ? shape[1] : shape[0] / layout.groups);
      of_group_ = static_cast<size_t>(outputs / layout.groups);
      largest_.resize(static_cast<size_t>(outputs) * inputs_, 0);
      taps_ = static_cast<double>(weights.data.size()) / static_cast<double>(largest_.size());
    }
    energy_.resize(x.squares.size(), 0);
    for (size_t i = 0; i < weights.data.size(); ++i) {
      const auto [in, out] = layout.Of(static_cast<int64_t>(i), shape);
      const double w = std::abs(static_cast<double>(weights.data[i]));
      energy_[static_cast<size_t>(in)] += w * w;
      if (largest_.empty()) continue;
      const size_t o = static_cast<size_t>(out);
      double& largest = largest_[o * inputs_ + static_cast<size_t>(in) - First(o)];
      largest = std::max(largest, w);
    }
    for (size_t c = 0; c < energy_.size(); ++c) signal_ += energy_[c] * x.squares[c] / x.elements;
  }

  const ChannelStatistics& x() const { return x_; }

  // Whether each of its weights has the scale of one channel, so that factors cost it nothing.
  bool IsDepthwise() const { return inputs_ <= 1; }

  // By channel, the largest weight beside that of its output; at least what `so_far` has.
  void RaiseToLargest(std::vector<double>& so_far) const {
    for (size_t o = 0; o * inputs_ < largest_.size(); ++o) {
      const auto row = Row(o);
      const double most = std::ranges::max(row);
      if (most == 0) continue;
      for (size_t i = 0; i < inputs_; ++i) {
        double& of_channel = so_far[First(o) + i];
        of_channel = std::max(of_channel, row[i] / most);
      }
    }
  }

  // The power of the noise as a share of that of the signal.
  double Noise(const std::vector<int>& exponents) const {
    if (signal_ == 0) return 0;
    double low = 0, high = 0, energy = 0, noise = 0;
    std::vector<double> factors, squares;  // by channel
    for (size_t c = 0; c < energy_.size(); ++c) {
      factors.push_back(std::ldexp(1, exponents[c]));
      low = std::min(low, x_.least[c] / factors[c]);
      high = std::max(high, x_.most[c] / factors[c]);
      energy += energy_[c] * factors[c] * factors[c];
      squares.push_back(x_.squares[c] / x_.elements / (factors[c] * factors[c]));
    }
    const auto power = [](double step) { return step * step / 12; };  // that a rounding adds
    noise += power((high - low) / kCodes) * energy;
    for (size_t o = 0; o * inputs_ < largest_.size(); ++o) {
      const auto row = Row(o);
      double most = 0, read = 0;
      for (size_t i = 0; i < inputs_; ++i) {
        most = std::max(most, row[i] * factors[First(o) + i]);
        read += squares[First(o) + i];
      }
      noise += power(most / kWeightCodes) * read * taps_;
    }
    return noise / signal_;
  }

 private:
  // The first channel that output `o` reads, and its largest weights for each.
  size_t First(size_t o) const { return o / of_group_ * inputs_; }
  std::span<const double> Row(size_t o) const { return std::span(largest_).subspan(o * inputs_, inputs_); }

  const ChannelStatistics& x_;
  std::vector<double> energy_;   // by channel: of all weights that read it
  std::vector<double> largest_;  // by output and channel that it reads; nothing of lists
  size_t inputs_ = 0, of_group_ = 1;
  double taps_ = 0, signal_ = 0;
};

std::vector<int> ExponentsFor(const std::vector<double>& reach, const std::vector<double>& weights,
                              double alpha) {
  std::vector<int> exponents;
  double sum = 0;
  for (size_t c = 0; c < reach.size(); ++c) {
    exponents.push_back(static_cast<int>(std::lround(
        alpha * std::log2(reach[c]) - (1 - alpha) * std::log2(std::max(weights[c], kLeastReach)))));
    sum += exponents.back();
  }
  // A common factor changes nothing; around 0 floats stay where they are.
  const int mean = static_cast<int>(std::lround(sum / static_cast<double>(exponents.size())));
  for (int& exponent : exponents) exponent -= mean;
  return exponents;
}

// The exponents of one group; nothing where it is best as it is.
std::optional<std::vector<int>> Best(const std::vector<Reader>& readers, int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  std::vector<double> reach(count, 0), weights(count, 0);
  for (const Reader& reader : readers) {
    const ChannelStatistics& x = reader.x();
    for (size_t c = 0; c < count; ++c) reach[c] = std::max({reach[c], -x.least[c], x.most[c]});
  }
  const double farthest = std::ranges::max(reach);
  if (farthest == 0) return std::nullopt;
  for (double& r : reach) r = std::max(r, farthest * kLeastReach);
  bool is_free = true;
  for (const Reader& reader : readers) {
    if (reader.IsDepthwise()) continue;
    is_free = false;
    reader.RaiseToLargest(weights);
  }
  const auto noise_of = [&](const std::vector<int>& exponents) {
    double noise = 0;
    for (const Reader& reader : readers) noise += reader.Noise(exponents);
    return noise;
  };
  double least = kWorthIt * noise_of(std::vector<int>(count, 0));
  std::optional<std::vector<int>> best;
  for (const double alpha : kAlphas) {
    if (is_free && alpha != 1) continue;
    std::vector<int> exponents = ExponentsFor(reach, weights, alpha);
    const double noise = noise_of(exponents);
    if (!(noise < least)) continue;
    least = noise;
    best = std::move(exponents);
  }
  return best;
}

using StatisticsOfValues = std::map<ValueId, ChannelStatistics>;

// The other operand of the node that `constant` belongs to.
ValueId ReadBy(const Graph& graph, const ScaledConstant& constant) {
  const Node& node = graph.nodes[constant.node];
  return node.operands[node.operands[0] == constant.value ? 1 : 0];
}

absl::StatusOr<StatisticsOfValues> Observe(const Graph& graph, const ChannelGroups& groups,
                                           int64_t num_samples, const SampleSource& samples,
                                           const Progress& progress) {
  std::map<ValueId, size_t> axes;
  for (const ChannelGroup& group : groups.list) {
    for (const auto& [value, axis] : group.reads) axes[value] = axis;
  }
  StatisticsOfValues statistics;
  FloatExecutor executor(graph);
  for (int64_t i = 0; i < num_samples; ++i) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> sample, samples(i));
    const auto observe = [&](ValueId value, const FloatTensor& tensor) {
      const auto axis = axes.find(value);
      if (axis != axes.end()) statistics[value].Add(tensor, axis->second);
    };
    RETURN_IF_ERROR(executor.Run(sample, {.observer = observe}).status());
    if (progress) progress(i + 1, num_samples);
  }
  return statistics;
}

}  // namespace

absl::StatusOr<ChannelExponents> ChooseExponents(const Graph& given, int64_t num_samples,
                                                 const SampleSource& samples, const Progress& progress) {
  ASSIGN_OR_RETURN(const Graph graph, WithUnitFactors(given, [](const std::string&) { return true; }));
  const ChannelGroups groups = FindChannelGroups(graph);
  ASSIGN_OR_RETURN(const StatisticsOfValues statistics,
                   Observe(graph, groups, num_samples, samples, progress));
  std::vector<std::vector<Reader>> readers(groups.list.size());
  for (const ScaledConstant& constant : groups.constants) {
    if (!constant.in.has_value()) continue;
    const ChannelStatistics& x = statistics.at(ReadBy(graph, constant));
    const auto& weights = std::get<FloatTensor>(*ConstantOf(graph, constant.value));
    readers[*constant.in].emplace_back(constant, WithChannels(constant, weights), x);
  }
  ChannelExponents chosen;
  for (size_t g = 0; g < groups.list.size(); ++g) {
    if (readers[g].empty()) continue;
    auto exponents = Best(readers[g], groups.list[g].channels);
    if (exponents.has_value()) chosen[groups.list[g].name] = *std::move(exponents);
  }
  if (!Equalized(graph, groups, chosen).ok()) return ChannelExponents();  // some float is at its end
  return chosen;
}

}  // namespace tally::quant
