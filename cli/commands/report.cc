// tally report: where a module loses accuracy, layer by layer.
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/layers/layer_page.h"
#include "cli/layers/layer_text.h"
#include "cli/layers/netron_json.h"
#include "cli/networks/accuracy_report.h"
#include "cli/networks/measured_layers.h"
#include "cli/summary.h"

namespace tally::cli {
namespace {

struct ReportOptions {
  MeasuredLayersOptions measured;
  std::string html;  // a page for a browser
  std::string csv;
};

absl::Status ReportLayers(const ReportOptions& options, std::ostream& out) {
  Summary summary;
  ASSIGN_OR_RETURN(const MeasuredLayers measured, MeasureLayersOf(options.measured, summary));
  const quant::LayerAccuracies& layers = measured.layers;
  const std::string page =
      options.html.empty() ? "" : LayerPage({options.measured.network.path, measured.module_id}, layers);
  const std::string netron =
      options.html.empty() ? "" : NetronJson({options.measured.network.path, measured.module_id}, layers);
  const std::string table = options.csv.empty() ? "" : LayersToCsv(layers);
  std::vector<FileToWrite> files;
  if (!options.html.empty()) {
    files.push_back({options.html, AsBytes(page)});
    files.push_back({options.html + ".netron.json", AsBytes(netron)});
  }
  if (!options.csv.empty()) files.push_back({options.csv, AsBytes(table)});
  RETURN_IF_ERROR(WriteFilesAtomically(files));

  AddWorstLayers(layers, summary);
  summary.Say("layers", "\n" + LayerTable(layers), "layers", LayersToJson(layers));
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.measured.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddReportCommand(CommandLine& line) {
  auto& options = line.Keep<ReportOptions>();
  auto* report = line.app.add_subcommand("report", "show where a module loses accuracy, layer by layer");
  AddMeasuredLayersOptions(line, *report, options.measured);
  line.Writes(report->add_option("--html", options.html, "file for a page with a picture of every layer"));
  line.Writes(report->add_option("--csv", options.csv, "file for a table"));
  report->add_flag(
      "--sensitivity", options.measured.sensitivity,
      "measure what the grid of each layer alone costs the outputs: one run of the network each");
  line.Calls(*report, options, ReportLayers);
}

}  // namespace tally::cli
