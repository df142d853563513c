// tally bisect: the first layer whose accuracy is below a threshold.
#include <algorithm>
#include <string>
#include <vector>

#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/layers/layer_text.h"
#include "cli/networks/measured_layers.h"
#include "cli/summary.h"

namespace tally::cli {
namespace {

struct BisectOptions {
  MeasuredLayersOptions measured;
  double below = 20;  // dB
};

absl::Status Bisect(const BisectOptions& options, std::ostream& out) {
  Summary summary;
  ASSIGN_OR_RETURN(const MeasuredLayers measured, MeasureLayersOf(options.measured, summary));
  const std::vector<quant::LayerAccuracy>& layers = measured.layers.layers;
  const auto first = std::ranges::find_if(
      layers, [&](const quant::LayerAccuracy& layer) { return layer.error.sqnr_db() < options.below; });
  if (first == layers.end()) {
    summary.Say("first", absl::StrCat("none of ", layers.size(), " layers is below ", options.below, " dB"),
                "first", nullptr);
  } else {
    std::string text = LayerLine(*first) + "\n        " + Printable(first->source);
    for (const size_t read : first->reads) text += "\nreads   " + LayerLine(layers[read]);
    summary.Say("first", text, "first", first->name);
  }
  summary.Print(options.measured.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddBisectCommand(CommandLine& line) {
  auto& options = line.Keep<BisectOptions>();
  auto* bisect = line.app.add_subcommand(
      "bisect", "find the first layer of a module that differs from its network by more than a threshold");
  AddMeasuredLayersOptions(line, *bisect, options.measured);
  bisect->add_option("--below", options.below, "threshold of the SQNR in dB (default: 20)");
  line.Calls(*bisect, options, Bisect);
}

}  // namespace tally::cli
