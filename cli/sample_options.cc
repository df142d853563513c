#include "cli/sample_options.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/named_values.h"

namespace tally::cli {
namespace {

absl::StatusOr<size_t> PlaceOf(const std::string& name, const std::vector<std::string>& names,
                               std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  return MakeError(label::input_name, absl::StrCat("--loop: there is no ", ToAbsl(what), " '", name,
                                                   "'; there are ", absl::StrJoin(names, ", ")));
}

}  // namespace

bool IsFed(const quant::Loop& loop, size_t input) {
  return std::ranges::any_of(loop.states, [&](const quant::State& state) { return state.input == input; });
}

absl::StatusOr<quant::Loop> ParseLoop(const SampleOptions& options, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& results) {
  if (options.loops.empty() && options.loop_length > 0) {
    return MakeError(label::option_syntax, "--loop-length wants a --loop, whose length it is");
  }
  quant::Loop loop = {.states = {}, .length = options.loop_length};
  for (const std::string& option : options.loops) {
    ASSIGN_OR_RETURN(const auto names, SplitOption(option));
    quant::State state;
    ASSIGN_OR_RETURN(state.output, PlaceOf(names.first, results, "result"));
    ASSIGN_OR_RETURN(state.input, PlaceOf(names.second, inputs, "input"));
    if (IsFed(loop, state.input)) {
      return MakeError(label::input_name,
                       absl::StrCat("--loop: input '", names.second, "' is fed by two results"));
    }
    loop.states.push_back(state);
  }
  if (!inputs.empty() && loop.states.size() == inputs.size()) {
    return MakeError(label::option_syntax,
                     "--loop feeds every input: one has to have samples, which say how often it runs");
  }
  return loop;
}

absl::StatusOr<std::vector<std::optional<std::string>>> SampleFiles(const SampleOptions& options,
                                                                    const std::vector<std::string>& inputs,
                                                                    const quant::Loop& loop,
                                                                    std::string_view flag, Label missing) {
  std::vector<std::string> others;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsFed(loop, i)) others.push_back(inputs[i]);
  }
  ASSIGN_OR_RETURN(std::vector<std::string> named, WithArrayNames(options.files, others.size()));
  for (std::string& option : named) {
    if (others.size() == 1 && option.find('=') == std::string::npos) option = others[0] + "=" + option;
  }
  ASSIGN_OR_RETURN(auto paths, ValuesByName(named, inputs, flag));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!paths[i].has_value() && !IsFed(loop, i))
      return MakeError(missing, absl::StrCat("no ", ToAbsl(flag), " for input '", inputs[i], "'"));
  }
  return paths;
}

absl::StatusOr<SampleForm> FormOf(const SampleOptions& options, const std::string& name, quant::Shape shape,
                                  const std::vector<std::string>& bgr_inputs, Label wrong_shape) {
  const Preparation& prepare = options.preparation;
  if (prepare.fit.has_value() && prepare.resize.has_value())
    return MakeError(label::option_syntax,
                     "--fit brings images to the size of the input: leave out --resize");
  ImageFit fit;
  if (prepare.resize.has_value()) fit = {ImageFit::kShorter, *prepare.resize};
  if (prepare.fit == "cover") fit.kind = ImageFit::kCover;
  if (prepare.fit == "stretch") fit.kind = ImageFit::kStretch;
  if (prepare.fit == "pad") fit.kind = ImageFit::kPad;
  return SampleForm{.name = name,
                    .shape = std::move(shape),
                    .channels_last = prepare.layout == "nhwc",
                    .fit = fit,
                    .is_bgr = prepare.channels.has_value() ? prepare.channels == "bgr"
                                                           : std::ranges::count(bgr_inputs, name) > 0,
                    .sound = {static_cast<int>(prepare.rate.value_or(0)), prepare.hop.value_or(0),
                              static_cast<float>(prepare.full_scale.value_or(1))},
                    .wrong_shape = wrong_shape};
}

}  // namespace tally::cli
