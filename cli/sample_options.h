// Opens the samples that options name for the inputs: where they are, how they are read, and which results
// the next sample takes as inputs (--loop RESULT=INPUT).
//
//   ASSIGN_OR_RETURN(const quant::Loop loop, ParseLoop(options, {"input", "state"}, {"output", "stateN"}));
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/samples/open_samples.h"
#include "quant/calibrate/loop.h"

namespace tally::cli {

// Errors: option_syntax; input_name, for a name that there is not and an input that is fed twice.
absl::StatusOr<quant::Loop> ParseLoop(const SampleOptions& options, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& results);

// Whether the loop feeds input number `input`.
bool IsFed(const quant::Loop& loop, size_t input);

// The path of each input's samples; nothing for one that the loop feeds and that begins with zeros. A path
// without a name is that of the one input that the loop does not feed. Errors: `missing`, which names `flag`,
// for other inputs without a path; those of ValuesByName and WithArrayNames.
absl::StatusOr<std::vector<std::optional<std::string>>> SampleFiles(const SampleOptions& options,
                                                                    const std::vector<std::string>& inputs,
                                                                    const quant::Loop& loop,
                                                                    std::string_view flag, Label missing);

// The form in which the options have samples of an input of this shape read; images of `bgr_inputs` have blue
// first where the options do not say. Errors of shape have `wrong_shape`. Error option_syntax, for --resize
// with --fit.
absl::StatusOr<SampleForm> FormOf(const SampleOptions& options, const std::string& name, quant::Shape shape,
                                  const std::vector<std::string>& bgr_inputs, Label wrong_shape);

}  // namespace tally::cli
