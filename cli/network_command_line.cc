#include <utility>

#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/imported_models.h"
#include "cli/network_commands.h"
#include "frontends/formats.h"
#include "quant/passes/passes.h"

namespace tally::cli {
namespace {

// "Core ML (.mlmodel or .mlpackage), ONNX (.onnx), .."
std::string FilesOfFormats() {
  std::string files;
  for (const frontend::Format& format : frontend::AllFormats())
    files += absl::StrCat(files.empty() ? "" : ", ", ToAbsl(format.name), " (", ToAbsl(format.files), ")");
  return files;
}

void AddNetworkOptions(CommandLine& line, CLI::App& subcommand, NetworkFile& network) {
  line.Reads(subcommand.add_option("model", network.path, "model file: " + FilesOfFormats()))->required();
  subcommand.add_option("--batch", network.batch,
                        "the first dimension of inputs, where the model leaves it open");
  // One value after each, so that a file may follow.
  subcommand
      .add_option("--shape", network.shapes,
                  "NAME=1,3,224,224, for an input with other open dimensions; a length of 0 makes it "
                  "an empty constant")
      ->allow_extra_args(false);
  subcommand
      .add_option("--dim", network.dims,
                  "NAME=SIZE: the open dimensions of an ONNX file that have this name in it")
      ->allow_extra_args(false);
  subcommand
      .add_option("--fix", network.fixed,
                  "NAME=VALUE: this input is a constant (a sampling rate, a mode); one number for all "
                  "its elements, or as many as there are")
      ->allow_extra_args(false);
  line.Reads(subcommand.add_option("--weights", network.weights,
                                   "the weights of an ncnn or OpenVINO model (default: the .bin beside it)"));
  subcommand
      .add_option("--dialect", network.dialect,
                  "nhwc: the operators of an ONNX file are those of docs/formats/onnx_nhwc.md")
      ->check(CLI::IsMember({"nhwc"}));
}

void AddPassOptions(CLI::App& subcommand, NetworkFile& network) {
  std::string passes;
  for (const quant::GraphPass& pass : quant::AllPasses())
    passes += absl::StrCat(passes.empty() ? "" : "; ", ToAbsl(pass.name), ": ", ToAbsl(pass.what));
  subcommand.add_option(
      "--without-pass", network.without_passes,
      "leave the float network as it is, where this pass would rewrite it (" + passes + ")");
}

void AddMethodOption(CLI::App& subcommand, quant::ClipMethod& method) {
  std::vector<std::pair<std::string, quant::ClipMethod>> names;
  for (const quant::ClipMethodName& known : quant::kClipMethods) names.emplace_back(known.name, known.method);
  subcommand
      .add_option(
          "--method", method,
          "what chooses the grids of 8 bits from what calibration saw: mse (the default), the least "
          "squared "
          "error; percentile, all but 1 of 20,000 elements at each end; kl, the least relative entropy; "
          "absmax, all of it")
      ->transform(CLI::CheckedTransformer(names));
}

void AddServedInputOptions(CLI::App& subcommand, ServedInputOptions& inputs) {
  subcommand
      .add_option(
          "--input-grid", inputs.grids,
          "[NAME=]SCALE,ZERO,LO,HI: integers in [LO, HI] stand for SCALE * (x - ZERO); SCALE may be 1/255")
      ->allow_extra_args(false);
  subcommand
      .add_option("--mean", inputs.means,
                  "[NAME=]A,B,C: which is then taken off, of each channel or of all; 0.485 or 1/2")
      ->allow_extra_args(false);
  subcommand.add_option("--std", inputs.stds, "[NAME=]A,B,C: by which it is then divided")
      ->allow_extra_args(false);
}

void AddLabelOptions(CommandLine& line, CLI::App& subcommand, LabelOptions& right) {
  line.Reads(subcommand.add_option(
      "--labels", right.labels,
      "what is right: FILE.npy, the place of the right element for each row of the first output; FILE.csv, "
      "lines "
      "FILE,LABEL, or LABEL in the order of the samples; or the folder of the samples, whose folders are "
      "their labels"));
  line.Reads(
      subcommand.add_option("--names", right.names,
                            "a text file, whose lines name the elements of a row (default: the labels of the "
                            "model's file)"));
}

void AddReportOptions(CommandLine& line, CLI::App& subcommand, ReportOptions& options) {
  AddNetworkOptions(line, subcommand, options.network);
  AddPassOptions(subcommand, options.network);
  line.Reads(subcommand.add_option("module", options.module, "module file"))->required();
  AddSampleOptions(line, subcommand, options.samples, "--samples", true);
  AddLoopOptions(subcommand, options.samples);
  AddServedInputOptions(subcommand, options.inputs);
  line.Reads(
      subcommand.add_option("--calibration", options.calibration,
                            "the calibration that the module was made with; by default the file beside "
                            "it, MODULE.calibration, or "
                            "what the samples give"));
  AddMethodOption(subcommand, options.method);
  subcommand.add_option("--threads", options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
  line.ForMachines(subcommand, options.json);
}

void AddImportCommands(CommandLine& line) {
  auto& check_options = line.Keep<CheckModelOptions>();
  auto* check = line.app.add_subcommand(
      "check",
      "report whether a model imports, all that is in the way, and what calibration its inputs want");
  AddNetworkOptions(line, *check, check_options.network);
  line.ForMachines(*check, check_options.json);
  line.Calls(*check, check_options, CheckModel);

  auto& import_options = line.Keep<ImportModelOptions>();
  auto* import_command =
      line.app.add_subcommand("import",
                              "turn a model of integers, or one of cvm-runtime, into a module "
                              "(-o), or show the float graph of a file");
  AddNetworkOptions(line, *import_command, import_options.network);
  line.Reads(import_command->add_option("params", import_options.params,
                                        "params (binary), after the graph of a CVM model"));
  import_command
      ->add_option(
          "--range", import_options.ranges,
          "NAME=LO,HI: what an input of integers holds; NAME=1/2^BITS,LO,HI: one of floats, by integers")
      ->allow_extra_args(false);
  line.WritesNamed(import_command->add_option("-o,--output", import_options.output, "module file"));
  line.ForMachines(*import_command, import_options.json);
  line.Calls(*import_command, import_options, ImportModel);

  auto* export_command = line.app.add_subcommand("export", "write a module for another runtime");
  export_command->require_subcommand(1);

  auto& export_cvm_options = line.Keep<ExportCvmOptions>();
  auto* export_cvm =
      export_command->add_subcommand("cvm", "turn a module of profile cvm into a model of cvm-runtime");
  line.Reads(export_cvm->add_option("module", export_cvm_options.module, "module file"))->required();
  line.Writes(export_cvm->add_option("--graph", export_cvm_options.graph, "write the graph (JSON) here"))
      ->required();
  line.Writes(export_cvm->add_option("--params", export_cvm_options.params, "write the params (binary) here"))
      ->required();
  line.ForMachines(*export_cvm, export_cvm_options.json);
  line.Calls(*export_cvm, export_cvm_options, ExportCvmModel);

  auto& export_onnx_options = line.Keep<ExportOnnxOptions>();
  auto* export_onnx = export_command->add_subcommand(
      "onnx", "turn a module into an ONNX model of integers, where every instruction has an exact form");
  line.Reads(export_onnx->add_option("module", export_onnx_options.module, "module file"))->required();
  line.Writes(export_onnx->add_option("-o,--output", export_onnx_options.output, "ONNX file"))->required();
  line.ForMachines(*export_onnx, export_onnx_options.json);
  line.Calls(*export_onnx, export_onnx_options, ExportOnnxModel);
}

void AddQuantizeCommand(CommandLine& line) {
  auto& quantize_options = line.Keep<QuantizeOptions>();
  auto* quantize = line.app.add_subcommand("quantize", "turn a float network into a module");
  AddNetworkOptions(line, *quantize, quantize_options.network);
  AddPassOptions(*quantize, quantize_options.network);
  AddSampleOptions(line, *quantize, quantize_options.calibrate, "--calibrate", false);
  AddLoopOptions(*quantize, quantize_options.calibrate);
  line.Reads(
      quantize->add_option("--calibration", quantize_options.calibration, "use this calibration file"));
  line.Writes(quantize->add_option("--save-calibration", quantize_options.save_calibration,
                                   "write the calibration here"));
  AddMethodOption(*quantize, quantize_options.method);
  CLI::Option* const target =
      quantize
          ->add_option(
              "--target-sqnr", quantize_options.target_sqnr,
              "DB: how close to the float network results are to be (default: 30, or 40 where indices or "
              "labels are among them); what is needed for it takes 16 bits; 0 leaves all at 8")
          ->check(CLI::Range(0.0, 200.0));
  CLI::Option* const budget = quantize
                                  ->add_option("--budget", quantize_options.budget,
                                               "PERCENT: how much more gas that may take (default: 25)")
                                  ->check(CLI::Range(0.0, 1000.0));
  CLI::Option* const fast = quantize->add_flag(
      "--fast", quantize_options.fast,
      "8 bits alone, and channels equalized where that is closer: what runs in the least time");
  CLI::Option* const accurate =
      quantize->add_flag("--accurate", quantize_options.accurate,
                         "60 dB, for up to twice the gas: what is closest to the float network");
  fast->excludes(target)->excludes(budget)->excludes(accurate);
  accurate->excludes(target)->excludes(budget);
  quantize->add_flag(
      "--equalize", quantize_options.equalize,
      "divide channels by powers of two where they then share a grid of 8 bits better, though 8 bits "
      "meet the target; where they miss it, that is tried in any case");
  AddLabelOptions(line, *quantize, quantize_options.right);
  AddServedInputOptions(*quantize, quantize_options.inputs);
  line.WritesNamed(quantize->add_option("-o,--output", quantize_options.output, "module file"))->required();
  line.ForMachines(*quantize, quantize_options.json);
  line.Calls(*quantize, quantize_options, Quantize);
}

void AddCompareCommand(CommandLine& line) {
  auto& compare_options = line.Keep<CompareOptions>();
  auto* compare = line.app.add_subcommand("compare", "measure a module beside its float network on samples");
  AddNetworkOptions(line, *compare, compare_options.network);
  AddPassOptions(*compare, compare_options.network);
  line.Reads(compare->add_option("module", compare_options.module, "module file"))->required();
  AddSampleOptions(line, *compare, compare_options.samples, "--samples", true);
  AddLoopOptions(*compare, compare_options.samples);
  AddServedInputOptions(*compare, compare_options.inputs);
  AddLabelOptions(line, *compare, compare_options.right);
  compare->add_flag("--perplexity", compare_options.perplexity,
                    "those rows are logits: report the perplexity of the labels");
  compare->add_option("--engine", compare_options.engine, "formal, reference, cpu (the default) or cuda");
  compare->add_option("--threads", compare_options.threads, "threads of the engine")
      ->check(CLI::Range(1, 1024));
  compare->add_option("--min-sqnr", compare_options.min_sqnr, "refuse less, in dB");
  compare
      ->add_option("--min-agreement", compare_options.min_agreement,
                   "refuse a smaller share of equal choices")
      ->check(CLI::Range(0.0, 1.0));
  line.Named(
      compare->add_option("-o,--output", compare_options.output,
                          "folder for the results of both as floats, NAME.float.npy and NAME.module.npy: "
                          "for a metric of your own"));
  line.ForMachines(*compare, compare_options.json);
  line.Calls(*compare, compare_options, Compare);
}

void AddReportCommands(CommandLine& line) {
  auto& report_options = line.Keep<ReportOptions>();
  auto* report = line.app.add_subcommand("report", "show where a module loses accuracy, layer by layer");
  AddReportOptions(line, *report, report_options);
  line.Writes(report->add_option("--html", report_options.html, "write a page for a browser here"));
  line.Writes(report->add_option("--csv", report_options.csv, "write a table here"));
  report->add_flag(
      "--sensitivity", report_options.sensitivity,
      "measure what the grid of each layer alone costs the outputs: one run of the network for each");
  line.Calls(*report, report_options, cli::Report);

  auto& bisect_options = line.Keep<BisectOptions>();
  auto* bisect =
      line.app.add_subcommand("bisect", "find the first layer of a module that is far from its network");
  AddReportOptions(line, *bisect, bisect_options.report);
  bisect->add_option("--below", bisect_options.below, "in dB; 20 by default");
  line.Calls(*bisect, bisect_options, Bisect);
}

}  // namespace

void AddNetworkCommands(CommandLine& line) {
  KnownModelFiles() = ImportedModels();
  AddImportCommands(line);
  AddQuantizeCommand(line);
  AddCompareCommand(line);
  AddReportCommands(line);
}

}  // namespace tally::cli
