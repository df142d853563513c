#include "cli/network_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/named_values.h"
#include "quant/labels.h"

namespace tally::cli {
namespace {

// The channel of element i, where `inner` elements of a channel are together.
size_t ChannelOf(size_t i, size_t inner, size_t channels) { return channels == 1 ? 0 : i / inner % channels; }

// The elements of an input of integers, which calibration takes as floats.
absl::StatusOr<std::vector<float>> AsFloats(const std::vector<int64_t>& integers, const std::string& name) {
  for (const int64_t integer : integers) {
    if (integer >= -quant::kLargestSampleInteger && integer <= quant::kLargestSampleInteger) continue;
    return MakeError(label::samples_type,
                     absl::StrCat("a sample of input '", name, "' holds ", integer, ", beyond 2^24"));
  }
  return std::vector<float>(integers.begin(), integers.end());
}

absl::StatusOr<std::vector<float>> FromIntegers(const std::vector<int64_t>& codes,
                                                const quant::FoldedInput* served, const std::string& name) {
  if (served == nullptr) {
    return MakeError(label::samples_type,
                     absl::StrCat("the samples of input '", name,
                                  "' are integers, or images: --input-grid says what they "
                                  "stand for, such as ",
                                  name, "=1/255,0,0,255"));
  }
  const quant::QuantizedType& type = served->format.type;
  std::vector<float> values;
  values.reserve(codes.size());
  for (const int64_t code : codes) {
    if (code < type.interval.lo || code > type.interval.hi) {
      return MakeError(label::samples_range,
                       absl::StrCat("a sample of input '", name, "' holds ", code, ", outside of [",
                                    type.interval.lo, ", ", type.interval.hi, "] of its --input-grid"));
    }
    values.push_back(static_cast<float>(type.scale * static_cast<double>(code - type.zero_point)));
  }
  return values;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NetworkSamples>> NetworkSamples::Open(const ServedNetwork& network,
                                                                     const SampleOptions& options,
                                                                     std::string_view flag) {
  std::vector<std::string> names;
  for (const quant::ValueId id : network.graph.inputs) names.push_back(network.graph.values[id].name);
  ASSIGN_OR_RETURN(const auto named, WithArrayNames(options.files, names.size()));
  ASSIGN_OR_RETURN(const auto paths, ValuesByName(named, names, flag, label::calibration_no_samples));
  auto all = std::make_unique<NetworkSamples>();
  for (size_t i = 0; i < names.size(); ++i) {
    const quant::ValueType& type = network.graph.values[network.graph.inputs[i]].type;
    Input input = {
        .name = names[i], .shape = type.shape, .takes_integers = type.element == quant::ElementType::kInt64};
    const auto served = std::ranges::find(
        network.inputs, names[i], [](const quant::FoldedInput& folded) { return folded.format.name; });
    if (served != network.inputs.end()) input.served = &*served;
    ASSIGN_OR_RETURN(input.samples, OpenSamples(*paths[i], {.name = names[i],
                                                            .shape = input.shape,
                                                            .channels_last = options.layout == "nhwc",
                                                            .resize = options.resize}));
    if (i > 0 && input.samples->count() != all->count())
      return MakeError(label::samples_shape, "the inputs have different numbers of samples");
    all->inputs_.push_back(std::move(input));
  }
  return all;
}

absl::StatusOr<quant::FloatTensor> NetworkSamples::Read(Input& input, int64_t sample) {
  ASSIGN_OR_RETURN(SampleElements elements, input.samples->Read(sample));
  quant::FloatTensor values{input.shape, {}};
  if (input.takes_integers) {
    input.only_zeros = input.only_bytes = false;  // as segments and counts may be
    if (auto* floats = std::get_if<std::vector<float>>(&elements)) {
      values.data = std::move(*floats);
    } else {
      ASSIGN_OR_RETURN(values.data, AsFloats(std::get<std::vector<int64_t>>(elements), input.name));
    }
    return values;
  }
  if (const auto* codes = std::get_if<std::vector<int64_t>>(&elements)) {
    for (const int64_t code : *codes) input.only_zeros = input.only_zeros && code == 0;
    input.only_bytes = false;
    ASSIGN_OR_RETURN(values.data, FromIntegers(*codes, input.served, input.name));
    return values;
  }
  values.data = std::get<std::vector<float>>(std::move(elements));
  for (const float x : values.data) {
    input.only_zeros = input.only_zeros && x == 0;
    input.only_bytes = input.only_bytes && x >= 0 && x <= 255 && x == std::floor(x);
    input.largest = std::max(input.largest, x);
  }
  if (input.served == nullptr) return values;
  const quant::FoldedInput& served = *input.served;
  const size_t channels = served.factor.size();
  const size_t inner =
      channels == 1 ? 1 : values.data.size() / (channels * static_cast<size_t>(input.shape[0]));
  const quant::QuantizedType& type = served.format.type;
  const double low = static_cast<double>(type.interval.lo - type.zero_point) - 0.5,
               high = static_cast<double>(type.interval.hi - type.zero_point) + 0.5;
  for (size_t i = 0; i < values.data.size(); ++i) {
    const size_t c = ChannelOf(i, inner, channels);
    values.data[i] = static_cast<float>(served.factor[c] * double{values.data[i]} + served.offset[c]);
    const double code = double{values.data[i]} / type.scale;
    input.beyond += code < low || code > high ? 1 : 0;
  }
  input.elements += static_cast<int64_t>(values.data.size());
  return values;
}

quant::SampleSource NetworkSamples::From(int64_t first) {
  return [this, first](int64_t i) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    std::vector<quant::FloatTensor> inputs;
    for (Input& input : inputs_) {
      ASSIGN_OR_RETURN(inputs.emplace_back(), Read(input, first + i));
    }
    return inputs;
  };
}

void NetworkSamples::Warn(Summary& summary) const {
  constexpr double kFewBeyond = 0.01;
  constexpr float kLeastLikePixels = 16;  // smaller integers are counts, flags or small images
  for (const Input& input : inputs_) {
    const double beyond =
        input.elements == 0 ? 0 : static_cast<double>(input.beyond) / static_cast<double>(input.elements);
    if (input.only_zeros) {
      summary.Warn("samples_zero",
                   absl::StrCat("every element of the samples of input '", input.name, "' is 0"));
    } else if (beyond > kFewBeyond) {
      char percent[32];
      std::snprintf(percent, sizeof percent, "%.1f %%", 100 * beyond);
      summary.Warn(
          "samples_beyond",
          absl::StrCat(percent, " of the samples of input '", input.name,
                       "' lie beyond what its --input-grid can express: are they of another scale, or "
                       "pixels, which are given as uint8?"));
    } else if (input.served == nullptr && input.only_bytes && input.largest >= kLeastLikePixels) {
      summary.Warn(
          "samples_like_pixels",
          absl::StrCat("the samples of input '", input.name, "' are whole numbers up to ", input.largest,
                       ", as pixels are: floats must be what the network was trained on; give pixels as "
                       "uint8 and say with --input-grid, --mean and --std what they stand for"));
    }
  }
}

}  // namespace tally::cli
