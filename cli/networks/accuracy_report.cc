#include "cli/networks/accuracy_report.h"

#include <cmath>
#include <cstdio>

#include "base/printable.h"
#include "cli/layers/layer_text.h"

namespace tally::cli {
namespace {

std::string Decimal(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Json OrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

void AddAccuracy(const quant::Accuracy& accuracy, Summary& summary) {
  Json outputs = Json::array();
  std::string text;
  for (const quant::OutputAccuracy& output : accuracy.outputs) {
    const quant::OutputError& error = output.error;
    const double steps = error.largest() / output.step;
    outputs.push_back({{"name", output.name},
                       {"sqnr_db", output.is_choice ? Json(nullptr) : OrNull(error.sqnr_db())},
                       {"cosine", error.cosine()},
                       {"largest_steps", steps},
                       {"agreement", output.agreement()},
                       {"varies", output.varies}});
    text += "\n  " + Printable(output.name) + ": ";
    if (output.is_choice) {
      text += Decimal("integers, the same in %.2f %%", 100 * output.agreement());
      continue;
    }
    text += (std::isfinite(error.sqnr_db()) ? Decimal("%.1f dB", error.sqnr_db()) : "equal") +
            Decimal(", largest error %.1f steps", steps) +
            (output.row > 1 ? Decimal(", the same choice in %.2f %%", 100 * output.agreement()) : "") +
            (output.varies ? "" : ", of a result that hardly differs between samples");
  }
  summary.Say("float", "beside the float network, " + std::to_string(accuracy.samples) + " samples" + text,
              "accuracy", {{"samples", accuracy.samples}, {"outputs", outputs}});
}

void AddWorstLayers(const quant::LayerAccuracies& layers, Summary& summary) {
  Json names = Json::array();
  std::string text;
  for (const size_t place : layers.Worst(3)) {
    names.push_back(layers.layers[place].name);
    text += (text.empty() ? "" : "\n        ") + LayerLine(layers.layers[place]);
  }
  if (text.empty()) text = "none: every layer equals the float network's";
  summary.Say("worst", text, "worst_layers", std::move(names));
}

}  // namespace tally::cli
