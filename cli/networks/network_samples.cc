#include "cli/networks/network_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/notes.h"
#include "cli/preparation.h"
#include "cli/progress_bar.h"
#include "cli/sample_options.h"
#include "quant/graph/float_executor.h"
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
  std::vector<std::string> names, outputs;
  for (const quant::ValueId id : network.graph.inputs) names.push_back(network.graph.values[id].name);
  for (const quant::Output& output : network.graph.outputs) outputs.push_back(output.name);
  auto all = std::make_unique<NetworkSamples>();
  ASSIGN_OR_RETURN(all->loop_, ParseLoop(options, names, outputs));
  ASSIGN_OR_RETURN(const auto paths,
                   SampleFiles(options, names, all->loop_, flag, label::calibration_no_samples));
  for (size_t i = 0; i < names.size(); ++i) {
    const quant::ValueType& type = network.graph.values[network.graph.inputs[i]].type;
    Input input = {
        .name = names[i], .shape = type.shape, .takes_integers = type.element == quant::ElementType::kInt64};
    const auto served = std::ranges::find(
        network.inputs, names[i], [](const quant::FoldedInput& folded) { return folded.format.name; });
    if (served != network.inputs.end()) input.served = &*served;
    const bool is_state = IsFed(all->loop_, i);
    if (paths[i].has_value()) {
      ASSIGN_OR_RETURN(const SampleForm form, FormOf(options, names[i], input.shape, network.notes.bgr_inputs,
                                                     label::samples_shape));
      ASSIGN_OR_RETURN(input.samples, OpenSamples(*paths[i], form));
      const int64_t count = input.samples->count();
      const int64_t wanted = is_state ? 1 : all->count_;
      if (wanted > 0 && count != wanted) {
        return MakeError(label::samples_shape,
                         is_state ? absl::StrCat("input '", names[i], "' is fed by --loop, and has ", count,
                                                 " samples: one is its first state")
                                  : "the inputs have different numbers of samples");
      }
      if (!is_state) all->count_ = count;
    }
    all->inputs_.push_back(std::move(input));
  }
  // Windows of a recording overlap where one begins before the last has ended.
  all->parts_ =
      PartsOf(all->count_, /*in_order=*/!all->loop_.states.empty() || options.preparation.hop.has_value());
  if (!all->loop_.states.empty()) RETURN_IF_ERROR(all->RunLoop(network.graph));
  return all;
}

absl::Status NetworkSamples::RunLoop(const quant::Graph& graph) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  int64_t elements = 0;
  for (const quant::State& state : loop_.states) {
    const quant::Shape& shape = graph.values[graph.outputs[state.output].value].type.shape;
    const Input& input = inputs_[state.input];
    if (shape != input.shape) {
      return MakeError(label::samples_shape,
                       absl::StrCat("--loop: result '", graph.outputs[state.output].name, "' has shape ",
                                    quant::ToString(shape), ", and input '", input.name, "' ",
                                    quant::ToString(input.shape)));
    }
    elements += quant::NumElements(shape);
  }
  if (elements > kMostBytes / static_cast<int64_t>(sizeof(float)) / count_) {
    return MakeError(label::samples_shape, absl::StrCat("the states of ", count_, " samples, ", elements,
                                                        " numbers each, take more than 1 GiB: give fewer"));
  }
  std::vector<quant::FloatTensor> first;
  for (const quant::State& state : loop_.states) {
    Input& input = inputs_[state.input];
    first.push_back({input.shape, std::vector<float>(static_cast<size_t>(quant::NumElements(input.shape)))});
    if (input.samples == nullptr) {
      Serve(input, first.back());
    } else {
      ASSIGN_OR_RETURN(first.back(), Read(input, 0));
    }
    input.states.reserve(static_cast<size_t>(count_));
  }
  quant::FloatExecutor executor(graph);
  std::vector<quant::Tensor> results;
  const quant::Samples all = All();
  ProgressBar progress("looping");
  for (int64_t sample = 0; sample < count_; ++sample) {
    for (size_t i = 0; i < loop_.states.size(); ++i) {
      Input& input = inputs_[loop_.states[i].input];
      input.states.push_back(first[i]);
      if (!loop_.Continues(sample)) continue;
      std::visit(
          [&](auto& result) { input.states.back().data.assign(result.data.begin(), result.data.end()); },
          results[loop_.states[i].output]);
      Serve(input, input.states.back());
    }
    ASSIGN_OR_RETURN(const std::vector<quant::FloatTensor> inputs, all.source(sample));
    ASSIGN_OR_RETURN(results, executor.Run(inputs));
    progress.Show(sample + 1, count_);
  }
  return absl::OkStatus();
}

absl::StatusOr<quant::FloatTensor> NetworkSamples::Read(Input& input, int64_t sample) {
  if (!input.states.empty()) return input.states[static_cast<size_t>(sample)];
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
  Serve(input, values);
  return values;
}

void NetworkSamples::Serve(Input& input, quant::FloatTensor& values) {
  if (input.served == nullptr) return;
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
}

quant::Samples NetworkSamples::At(std::vector<int64_t> numbers) {
  quant::Samples samples = {std::ssize(numbers), {}, loop_.From(numbers[0])};
  samples.source = [this,
                    of = std::move(numbers)](int64_t i) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    std::vector<quant::FloatTensor> inputs;
    for (Input& input : inputs_) {
      ASSIGN_OR_RETURN(inputs.emplace_back(), Read(input, of[static_cast<size_t>(i)]));
    }
    return inputs;
  };
  return samples;
}

std::vector<std::string> NetworkSamples::files() const {
  std::vector<std::string> files(static_cast<size_t>(count_));
  for (const Input& input : inputs_) {
    if (input.samples == nullptr || input.samples->count() != count_ || input.samples->file(0).empty())
      continue;
    for (int64_t i = 0; i < count_; ++i) files[static_cast<size_t>(i)] = input.samples->file(i);
    break;
  }
  return files;
}

quant::Samples NetworkSamples::All() {
  std::vector<int64_t> numbers(static_cast<size_t>(count_));
  std::iota(numbers.begin(), numbers.end(), 0);
  return At(std::move(numbers));
}

void NetworkSamples::Warn(Summary& summary) const {
  constexpr double kFewBeyond = 0.01;
  constexpr float kLeastLikePixels = 16;  // smaller integers are counts, flags or small images
  for (const Input& input : inputs_) {
    if (!input.states.empty()) continue;
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

absl::StatusOr<SamplesOfModule> PreparedAsBefore(const ServedInputOptions& inputs,
                                                 const SampleOptions& samples, const std::string& path,
                                                 const ValidModule& module, Summary& summary) {
  ASSIGN_OR_RETURN(const Notes notes, ReadNotesBeside(path, module.module()));
  SamplesOfModule prepared = {inputs, samples};
  std::string served, files;
  std::tie(prepared.inputs, served) = Prepared(inputs, notes.served);
  std::tie(prepared.samples.preparation, files) = Prepared(samples.preparation, notes.preparation);
  const std::string text = absl::StrCat(served, served.empty() || files.empty() ? "" : "; ", files);
  if (!text.empty()) summary.Say("prepare", Printable(text), "prepared", text);
  return prepared;
}

}  // namespace tally::cli
