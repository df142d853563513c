// --input-grid, --mean and --std: what the integers that a module takes stand for.
//
//   --input-grid image=1/255,0,0,255 --mean image=0.485,0.456,0.406 --std image=0.229,0.224,0.225
//
// Integers x in [0, 255] of channel c of input image stand for (1/255 (x - 0) - mean[c]) / std[c]. The name
// may be left out where the network has one input. Every number is a decimal or a fraction of two, and exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/input_options.h"
#include "quant/passes/fold_inputs.h"

namespace tally::cli {

// "0.485", "-2", "1/255", "2.5e-3"; nothing for other text, or where the numerator or the denominator exceeds
// 63 bits.
std::optional<quant::Rational> ParseRational(const std::string& text);

// Those of the inputs `names` that have an --input-grid. Errors: option_syntax, among others for --mean or
// --std of an input without --input-grid; input_name.
absl::StatusOr<std::vector<quant::InputMeaning>> ParseInputMeanings(const ServedInputOptions& options,
                                                                    const std::vector<std::string>& names);

}  // namespace tally::cli
