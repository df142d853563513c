// tally: the command line of the VM. Exit codes: 0 done; 1 refused, 2 wrong usage, 3 a certificate that
// depends on an expansion, all with error[LABEL].
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cpu_flags.h"
#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/labels.h"
#include "cli/named_values.h"
#include "cli/output_files.h"
#include "cli/preparation.h"
#include "cli/progress_bar.h"
#include "cli/proof_commands.h"
#include "cli/report.h"
#include "cli/shell/parser.h"
#include "cli/standard_input.h"
#include "cli/standard_streams.h"
#include "cli/version.h"
#include "frontends/formats.h"
#include "quant/passes/passes.h"
#include "vm/compile_for.h"

namespace tally::cli {
namespace {

CLI::Validator CheckOf(const OneOf& allowed) {
  return CLI::IsMember(std::vector<std::string>(allowed.words.begin(), allowed.words.end()));
}
template <typename T>
CLI::Validator CheckOf(const Within<T>& allowed) {
  return CLI::Range(allowed.least, allowed.most);
}

// "Core ML (.mlmodel or .mlpackage), ONNX (.onnx), .."
std::string FilesOfFormats() {
  std::string files;
  for (const frontend::Format& format : frontend::AllFormats())
    files += absl::StrCat(files.empty() ? "" : ", ", ToAbsl(format.name), " (", ToAbsl(format.files), ")");
  return files;
}

constexpr char kEmptyValue[] = "its value is empty";

// An empty value is a variable of a script that was not set: nothing that it could mean is meant.
void RefuseEmptyValues(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_expected_max() == 0) continue;  // a flag
    option->check([](const std::string& value) { return std::string(value.empty() ? kEmptyValue : ""); });
  }
  for (CLI::App* subcommand : app.get_subcommands({})) RefuseEmptyValues(*subcommand);
}

// What the values of those may mean that the command line has.
std::vector<std::string> PathsOf(const std::vector<CLI::Option*>& options) {
  std::vector<std::string> paths;
  for (const CLI::Option* option : options) {
    for (const std::string& value : option->results()) {
      for (std::string& path : PathsIn(value)) paths.push_back(std::move(path));
    }
  }
  return paths;
}

// Parses the command line and runs its command. Sets `json` when the report is for machines; wrong usage is
// reported so too where the line has --json.
absl::Status Run(int argc, char** argv, bool& json) {
  CLI::App app("Tally: integer-only, deterministic inference for verifiable computation.", "tally");
  app.require_subcommand(1);
  app.set_version_flag("--version", VersionLine());
  app.footer(
      "`tally help COMMAND` describes a command. In the place of a file, - is standard input or output. "
      "Exit codes: 0 done; 1 refused, 2 wrong usage, 3 a certificate that depends on an expansion, all with "
      "error[LABEL] on standard error.");
  std::function<absl::Status()> command;
  std::vector<const bool*> json_flags;
  bool quiet = false;
  std::ostream nowhere(nullptr);
  std::ostream* out = &std::cout;
  const auto for_machines = [&](CLI::App& subcommand, bool& flag) {
    subcommand.add_flag("--json", flag, "for machines");
    subcommand.add_flag("--quiet", quiet, "no report unless --json, and no progress; errors are told");
    json_flags.push_back(&flag);
  };

  // Options whose values are paths that a command reads, and such that it writes.
  std::vector<CLI::Option*> read_options, written_options;
  StandardInput standard_input;
  const auto reads = [&](CLI::Option* option) {
    read_options.push_back(option);
    option->transform([&](const std::string& value) { return standard_input.PathInPlaceOf(value); });
    return option;
  };
  const auto writes = [&](CLI::Option* option) {
    written_options.push_back(option);
    return option;
  };

  // A folder, or what has files beside it (MODULE.origin, KEY.pub), needs a name.
  const auto named = [](CLI::Option* option) {
    option->check([](const std::string& path) {
      return std::string(path == kStandardOutput ? "more than one file is written, so it needs a name" : "");
    });
    return option;
  };
  const auto writes_named = [&](CLI::Option* option) { return writes(named(option)); };

  const auto for_network = [&](CLI::App& subcommand, NetworkFile& network) {
    reads(subcommand.add_option("model", network.path, "model file: " + FilesOfFormats()))->required();
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
    reads(subcommand.add_option("--weights", network.weights,
                                "the weights of an ncnn or OpenVINO model (default: the .bin beside it)"));
    subcommand
        .add_option("--dialect", network.dialect,
                    "nhwc: the operators of an ONNX file are those of docs/formats/onnx_nhwc.md")
        ->check(CLI::IsMember({"nhwc"}));
  };

  const auto without_passes = [](CLI::App& subcommand, NetworkFile& network) {
    std::string passes;
    for (const quant::GraphPass& pass : quant::AllPasses())
      passes += absl::StrCat(passes.empty() ? "" : "; ", ToAbsl(pass.name), ": ", ToAbsl(pass.what));
    subcommand.add_option(
        "--without-pass", network.without_passes,
        "leave the float network as it is, where this pass would rewrite it (" + passes + ")");
  };

  const auto with_method = [](CLI::App& subcommand, quant::ClipMethod& method) {
    std::vector<std::pair<std::string, quant::ClipMethod>> names;
    for (const quant::ClipMethodName& known : quant::kClipMethods)
      names.emplace_back(known.name, known.method);
    subcommand
        .add_option(
            "--method", method,
            "what chooses the grids of 8 bits from what calibration saw: mse (the default), the least "
            "squared "
            "error; percentile, all but 1 of 20,000 elements at each end; kl, the least relative entropy; "
            "absmax, all of it")
        ->transform(CLI::CheckedTransformer(names));
  };

  const auto for_samples = [&](CLI::App& subcommand, SampleOptions& samples, std::string flag,
                               bool required) {
    reads(subcommand.add_option(
              flag, samples.files,
              "[NAME=]PATH: samples of an input in an .npy or .npz file, JSON lines, a PNG or JPEG image, a "
              "recording (WAV, FLAC, Ogg), or a folder of images or recordings"))
        ->required(required);
    ForEachField([&](const char* name, auto member, const auto& allowed, const char* help) {
      subcommand.add_option(absl::StrCat("--", name), samples.preparation.*member, help)
          ->check(CheckOf(allowed));
    });
  };

  const auto for_loop = [](CLI::App& subcommand, SampleOptions& samples) {
    subcommand
        .add_option(
            "--loop", samples.loops,
            "RESULT=INPUT: this result is that input of the next sample (a state); samples of the input "
            "are one, the first state, or none for zeros")
        ->allow_extra_args(false);
    subcommand
        .add_option("--loop-length", samples.loop_length,
                    "samples of a sequence, after which states begin anew; all are one sequence by default")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  };

  const auto for_served_inputs = [](CLI::App& subcommand, ServedInputOptions& inputs) {
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
  };

  const auto for_right = [&](CLI::App& subcommand, LabelOptions& right) {
    reads(subcommand.add_option(
        "--labels", right.labels,
        "what is right: FILE.npy, the place of the right element for each row of the first output; FILE.csv, "
        "lines "
        "FILE,LABEL, or LABEL in the order of the samples; or the folder of the samples, whose folders are "
        "their labels"));
    reads(subcommand.add_option(
        "--names", right.names,
        "a text file, whose lines name the elements of a row (default: the labels of the "
        "model's file)"));
  };

  bool ops_json = false;
  auto* ops = app.add_subcommand("ops", "list the operator table");
  for_machines(*ops, ops_json);
  ops->callback([&] { command = [&] { return ListOperators(ops_json, *out); }; });

  CheckModelOptions check_options;
  auto* check = app.add_subcommand(
      "check", "tell whether a model imports, all that is in the way, and what calibration its inputs want");
  for_network(*check, check_options.network);
  for_machines(*check, check_options.json);
  check->callback([&] { command = [&] { return CheckModel(check_options, *out); }; });

  ImportModelOptions import_options;
  auto* import_command = app.add_subcommand("import",
                                            "turn a model of integers, or one of cvm-runtime, into a module "
                                            "(-o), or show the float graph of a file");
  for_network(*import_command, import_options.network);
  reads(import_command->add_option("params", import_options.params,
                                   "params (binary), after the graph of a CVM model"));
  import_command
      ->add_option(
          "--range", import_options.ranges,
          "NAME=LO,HI: what an input of integers holds; NAME=1/2^BITS,LO,HI: one of floats, by integers")
      ->allow_extra_args(false);
  writes_named(import_command->add_option("-o,--output", import_options.output, "module file"));
  for_machines(*import_command, import_options.json);
  import_command->callback([&] { command = [&] { return ImportModel(import_options, *out); }; });

  auto* export_command = app.add_subcommand("export", "write a module for another runtime");
  export_command->require_subcommand(1);

  ExportCvmOptions export_cvm_options;
  auto* export_cvm =
      export_command->add_subcommand("cvm", "turn a module of profile cvm into a model of cvm-runtime");
  reads(export_cvm->add_option("module", export_cvm_options.module, "module file"))->required();
  writes(export_cvm->add_option("--graph", export_cvm_options.graph, "write the graph (JSON) here"))
      ->required();
  writes(export_cvm->add_option("--params", export_cvm_options.params, "write the params (binary) here"))
      ->required();
  for_machines(*export_cvm, export_cvm_options.json);
  export_cvm->callback([&] { command = [&] { return ExportCvmModel(export_cvm_options, *out); }; });

  ExportOnnxOptions export_onnx_options;
  auto* export_onnx = export_command->add_subcommand(
      "onnx", "turn a module into an ONNX model of integers, where every instruction has an exact form");
  reads(export_onnx->add_option("module", export_onnx_options.module, "module file"))->required();
  writes(export_onnx->add_option("-o,--output", export_onnx_options.output, "ONNX file"))->required();
  for_machines(*export_onnx, export_onnx_options.json);
  export_onnx->callback([&] { command = [&] { return ExportOnnxModel(export_onnx_options, *out); }; });

  QuantizeOptions quantize_options;
  auto* quantize = app.add_subcommand("quantize", "turn a float network into a module");
  for_network(*quantize, quantize_options.network);
  without_passes(*quantize, quantize_options.network);
  for_samples(*quantize, quantize_options.calibrate, "--calibrate", false);
  for_loop(*quantize, quantize_options.calibrate);
  reads(quantize->add_option("--calibration", quantize_options.calibration, "use this calibration file"));
  writes(quantize->add_option("--save-calibration", quantize_options.save_calibration,
                              "write the calibration here"));
  with_method(*quantize, quantize_options.method);
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
  for_right(*quantize, quantize_options.right);
  for_served_inputs(*quantize, quantize_options.inputs);
  writes_named(quantize->add_option("-o,--output", quantize_options.output, "module file"))->required();
  for_machines(*quantize, quantize_options.json);
  quantize->callback([&] { command = [&] { return Quantize(quantize_options, *out); }; });

  CompareOptions compare_options;
  auto* compare = app.add_subcommand("compare", "measure a module beside its float network on samples");
  for_network(*compare, compare_options.network);
  without_passes(*compare, compare_options.network);
  reads(compare->add_option("module", compare_options.module, "module file"))->required();
  for_samples(*compare, compare_options.samples, "--samples", true);
  for_loop(*compare, compare_options.samples);
  for_served_inputs(*compare, compare_options.inputs);
  for_right(*compare, compare_options.right);
  compare->add_flag("--perplexity", compare_options.perplexity,
                    "those rows are logits: tell the perplexity of the labels");
  compare->add_option("--engine", compare_options.engine, "formal, reference, cpu (the default) or cuda");
  compare->add_option("--threads", compare_options.threads, "threads of the engine")
      ->check(CLI::Range(1, 1024));
  compare->add_option("--min-sqnr", compare_options.min_sqnr, "refuse less, in dB");
  compare
      ->add_option("--min-agreement", compare_options.min_agreement,
                   "refuse a smaller share of equal choices")
      ->check(CLI::Range(0.0, 1.0));
  named(compare->add_option("-o,--output", compare_options.output,
                            "folder for the results of both as floats, NAME.float.npy and NAME.module.npy: "
                            "for a metric of your own"));
  for_machines(*compare, compare_options.json);
  compare->callback([&] { command = [&] { return Compare(compare_options, *out); }; });

  const auto for_report = [&](CLI::App& subcommand, ReportOptions& options) {
    for_network(subcommand, options.network);
    without_passes(subcommand, options.network);
    reads(subcommand.add_option("module", options.module, "module file"))->required();
    for_samples(subcommand, options.samples, "--samples", true);
    for_loop(subcommand, options.samples);
    for_served_inputs(subcommand, options.inputs);
    reads(subcommand.add_option("--calibration", options.calibration,
                                "the calibration that the module was made with; by default the file beside "
                                "it, MODULE.calibration, or "
                                "what the samples give"));
    with_method(subcommand, options.method);
    subcommand.add_option("--threads", options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
    for_machines(subcommand, options.json);
  };

  ReportOptions report_options;
  auto* report = app.add_subcommand("report", "show where a module loses accuracy, layer by layer");
  for_report(*report, report_options);
  writes(report->add_option("--html", report_options.html, "write a page for a browser here"));
  writes(report->add_option("--csv", report_options.csv, "write a table here"));
  report->add_flag(
      "--sensitivity", report_options.sensitivity,
      "measure what the grid of each layer alone costs the outputs: one run of the network for each");
  report->callback([&] { command = [&] { return cli::Report(report_options, *out); }; });

  BisectOptions bisect_options;
  auto* bisect =
      app.add_subcommand("bisect", "find the first layer of a module that is far from its network");
  for_report(*bisect, bisect_options.report);
  bisect->add_option("--below", bisect_options.below, "in dB; 20 by default");
  bisect->callback([&] { command = [&] { return Bisect(bisect_options, *out); }; });

  DiffOptions diff_options;
  auto* diff = app.add_subcommand("diff", "show what two modules have in common and what not");
  reads(diff->add_option("a", diff_options.a, "module file"))->required();
  reads(diff->add_option("b", diff_options.b, "module file"))->required();
  for_machines(*diff, diff_options.json);
  diff->callback([&] { command = [&] { return DiffModules(diff_options, *out); }; });

  AssembleOptions asm_options;
  auto* assemble = app.add_subcommand("asm", "assemble the text form");
  reads(assemble->add_option("text", asm_options.input, "text file (.tallytxt)"))->required();
  writes(assemble->add_option("-o,--output", asm_options.output, "module file"))->required();
  for_machines(*assemble, asm_options.json);
  assemble->callback([&] { command = [&] { return AssembleFile(asm_options, *out); }; });

  DumpOptions dump_options;
  auto* dump = app.add_subcommand("dump", "print a module as text, with inferred types");
  reads(dump->add_option("module", dump_options.module, "module file"))->required();
  writes(dump->add_option("-o,--output", dump_options.output, "text file; standard output by default"));
  dump->add_flag("--no-constants", dump_options.no_constants,
                 "leave out the elements of long constants; what is printed cannot be assembled");
  for_machines(*dump, dump_options.json);
  dump->callback([&] { command = [&] { return DumpModule(dump_options, *out); }; });

  ValidateOptions validate_options;
  auto* validate = app.add_subcommand("validate", "prove a module and print its id, types, gas and memory");
  reads(validate->add_option("module", validate_options.module, "module file"))->required();
  validate
      ->add_option("--gas-schedule", validate_options.gas_schedule,
                   "tally, or cvm: what cvm-runtime charges for a module of profile cvm")
      ->check(CLI::IsMember({"tally", "cvm"}));
  for_machines(*validate, validate_options.json);
  validate->callback([&] { command = [&] { return ValidateModule(validate_options, *out); }; });

  RunOptions run_options;
  auto* run = app.add_subcommand("run", "execute a module");
  reads(run->add_option("module", run_options.module, "module file"))->required();
  for_samples(*run, run_options.inputs, "--input", false);
  for_loop(*run, run_options.inputs);
  run->add_option("--engine", run_options.engine, "formal, reference, cpu (the default) or cuda");
  run->add_option("--arch", run_options.arch,
                  "the most that kernels may use (" + tally::AllCpuLevels() + "); results are the same");
  run->add_option("--threads", run_options.threads, "threads of the engine; scalar engines use one")
      ->check(CLI::Range(1, 1024));
  run->add_option("--repeat", run_options.repeat, "run as many times, and tell the least and the median time")
      ->check(CLI::Range(1, 1000000));
  run->add_option("--gas-limit", run_options.gas_limit, "refuse modules that cost more")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--memory-limit", run_options.memory_limit, "refuse modules whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  run->add_flag("--check", run_options.check,
                "compare each value with the references: slow; TALLY_CHECK=1 does it for all runs");
  run->add_flag("--float", run_options.floats, "write results as the floats that they stand for");
  run->add_option("--top", run_options.top, "tell the largest elements of each row of the results, so many")
      ->check(CLI::Range(1, 1000));
  reads(
      run->add_option("--labels", run_options.labels, "a text file, whose lines name the elements of a row"));
  named(run->add_option("-o,--output", run_options.output, "folder for the results, one .npy file each"))
      ->required();
  for_machines(*run, run_options.json);
  run->callback([&] { command = [&] { return RunModule(run_options, *out); }; });

  writes(run->add_option("--receipt", run_options.receipt.path,
                         "sign what was run, and write the receipt here"));
  reads(run->add_option("--key", run_options.receipt.key, "private key that signs it, from keygen"));
  run->add_option("--nonce", run_options.receipt.nonce,
                  "64 hexadecimal digits that the requester drew, for the receipt");
  run->add_flag("--trace", run_options.receipt.trace,
                "commit to every step of the run; the receipt names its trace");

  TraceOptions trace_options;
  auto* trace = app.add_subcommand("trace", "run a module once, and commit to every step of the run");
  reads(trace->add_option("module", trace_options.module, "module file"))->required();
  for_samples(*trace, trace_options.inputs, "--input", false);
  trace->add_option("--engine", trace_options.engine, "formal, reference, cpu (the default) or cuda");
  trace->add_option("--arch", trace_options.arch,
                    "the most that kernels may use (" + tally::AllCpuLevels() + "); the trace is the same");
  trace->add_option("--threads", trace_options.threads, "threads of the engine; scalar engines use one")
      ->check(CLI::Range(1, 1024));
  trace->add_option("--gas-limit", trace_options.gas_limit, "refuse modules that cost more")
      ->check(CLI::NonNegativeNumber);
  trace->add_option("--memory-limit", trace_options.memory_limit, "refuse modules whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  writes(trace->add_option("-o,--output", trace_options.output, "file of the trace"));
  writes_named(
      trace->add_option("--record", trace_options.record, "folder for all of the run, to dispute it with"));
  for_machines(*trace, trace_options.json);
  trace->callback([&] { command = [&] { return TraceModule(trace_options, *out); }; });

  JudgeElementOptions judge_options;
  auto* judge = app.add_subcommand("judge", "run a module once, and judge one element of the run");
  reads(judge->add_option("module", judge_options.module, "module file"))->required();
  for_samples(*judge, judge_options.inputs, "--input", false);
  judge->add_option("--engine", judge_options.engine, "formal, reference, cpu (the default) or cuda");
  judge->add_option("--value", judge_options.value, "number of a value of the entry, as tally dump prints it")
      ->required()
      ->check(CLI::NonNegativeNumber);
  judge->add_option("--element", judge_options.element, "number of its element, row-major")
      ->required()
      ->check(CLI::NonNegativeNumber);
  for_machines(*judge, judge_options.json);
  judge->callback([&] { command = [&] { return JudgeElement(judge_options, *out); }; });

  KeygenOptions keygen_options;
  auto* keygen = app.add_subcommand("keygen", "draw an Ed25519 key to sign receipts with");
  writes_named(keygen->add_option("-o,--output", keygen_options.key, "file of the private key"))->required();
  writes(keygen->add_option("--public", keygen_options.public_key,
                            "file of the public key; that of the private one with .pub by default"));
  for_machines(*keygen, keygen_options.json);
  keygen->callback([&] { command = [&] { return GenerateKey(keygen_options, *out); }; });

  const auto for_folders = [&](CLI::App& to, DisputeFolders& folders) {
    reads(to.add_option("--honest", folders.honest, "folder of a run that is checked (tally trace --record)"))
        ->required();
    reads(to.add_option("--claimed", folders.claimed, "folder of the run that is in doubt"))->required();
  };
  CertifyOptions certify_options;
  auto* certify = app.add_subcommand("certify", "make the certificate that convicts a wrong run");
  for_folders(*certify, certify_options.folders);
  writes(certify->add_option("-o,--output", certify_options.output, "file of the certificate"))->required();
  for_machines(*certify, certify_options.json);
  certify->callback([&] { command = [&] { return Certify(certify_options, *out); }; });

  CheckCertificateOptions check_certificate_options;
  auto* check_certificate =
      app.add_subcommand("check-certificate", "say whom a certificate convicts, offline and from it alone");
  reads(check_certificate->add_option("certificate", check_certificate_options.certificate, "its file"))
      ->required();
  check_certificate->add_option("--expansion", check_certificate_options.expansion,
                                "digest of the expansion that the accused has sent: 64 hexadecimal digits");
  for_machines(*check_certificate, check_certificate_options.json);
  check_certificate->callback(
      [&] { command = [&] { return CheckCertificateFile(check_certificate_options, *out); }; });

  DisputeOptions dispute_options;
  auto* dispute = app.add_subcommand("dispute", "play the dispute about a wrong run, to its certificate");
  for_folders(*dispute, dispute_options.folders);
  writes(dispute->add_option("-o,--output", dispute_options.output, "file of the certificate"));
  for_machines(*dispute, dispute_options.json);
  dispute->callback([&] { command = [&] { return Dispute(dispute_options, *out); }; });

  VerifyOptions verify_options;
  auto* verify = app.add_subcommand("verify", "check a receipt, and with module and inputs run it again");
  reads(verify->add_option("receipt", verify_options.receipt, "receipt file"))->required();
  reads(verify->add_option("--key", verify_options.key, "public key of the executor"));
  verify->add_option("--nonce", verify_options.nonce, "that of the request: 64 hexadecimal digits");
  reads(verify->add_option("--module", verify_options.module, "module file, to run the claim again"));
  for_samples(*verify, verify_options.inputs, "--input", false);
  reads(verify->add_option("--result", verify_options.results,
                           "[NAME=]FILE.npy: a result at hand, which the receipt has to name"));
  verify->add_option("--engine", verify_options.engine, "formal, reference, cpu (the default) or cuda");
  verify->add_option("--arch", verify_options.arch,
                     "the most that kernels may use (" + tally::AllCpuLevels() + "); results are the same");
  verify->add_option("--threads", verify_options.threads, "threads of the engine")
      ->check(CLI::Range(1, 1024));
  verify->add_option("--gas-limit", verify_options.gas_limit, "do not run a module again that costs more")
      ->check(CLI::NonNegativeNumber);
  verify
      ->add_option("--memory-limit", verify_options.memory_limit,
                   "do not run a module again whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  reads(verify->add_option("--certificate", verify_options.certificate,
                           "certificate of fraud that is said to be about the receipt"));
  verify->add_option(
      "--expansion", verify_options.expansion,
      "digest of the expansion that the executor has sent in a dispute: 64 hexadecimal digits");
  reads(verify->add_option("--origin", verify_options.origin,
                           "the file MODULE.origin: where the module of the receipt is said to come from"));
  for_machines(*verify, verify_options.json);
  verify->callback([&] { command = [&] { return VerifyReceiptFile(verify_options, *out); }; });

  PlanCommandOptions plan_options;
  auto* plan = app.add_subcommand("plan", "show what an engine compiles a module to, and run nothing");
  reads(plan->add_option("module", plan_options.module, "module file"))->required();
  plan->add_option("--engine", plan_options.engine, "cpu (the default) or cuda, for which no GPU is needed");
  plan->add_option("--arch", plan_options.arch,
                   "the most that kernels may use: of cpu " + tally::AllCpuLevels() + "; of cuda " +
                       std::string(kCudaArchs));
  plan->add_option("--threads", plan_options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
  plan->add_option("--dump-after", plan_options.dump_after, "the pass to stop behind; the last by default")
      ->check(CLI::IsMember(PassNames()));
  for_machines(*plan, plan_options.json);
  plan->callback([&] { command = [&] { return ShowPlan(plan_options, *out); }; });

  InfoOptions info_options;
  auto* info = app.add_subcommand(
      "info", "describe a module, a model of another framework, or this build and its engines");
  reads(info->add_option("file", info_options.file, "module, or model of another framework"));
  for_machines(*info, info_options.json);
  info->callback([&] { command = [&] { return ShowInfo(info_options, *out); }; });

  std::string shell;
  auto* completion = app.add_subcommand("completion", "print a script that completes command lines");
  completion->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&] {
    command = [&] {
      PrintCompletion(app, shell, *out);
      return absl::OkStatus();
    };
  });

  std::vector<std::string> page;
  auto* man = app.add_subcommand("man", "print the page of a command, or of the tool, for man(7)");
  man->add_option("command", page, "its words");
  man->callback([&] {
    command = [&]() -> absl::Status {
      if (CommandAt(app, page) == nullptr) return MakeError(label::usage, WhatIsUnknown(app, page));
      PrintManPage(app, page, VersionLine(), *out);
      return absl::OkStatus();
    };
  });

  RefuseEmptyValues(app);
  const std::vector<std::string> args = WithoutHelpCommand({argv + 1, argv + argc});
  const std::string unknown = WhatIsUnknown(app, args);
  try {
    if (!unknown.empty()) throw CLI::ExtrasError({unknown});
    for (const std::string& arg : args) {
      if (arg.starts_with("--") && arg.ends_with("="))
        throw CLI::ValidationError(arg.substr(0, arg.size() - 1), kEmptyValue);
    }
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    const bool refused = error.get_exit_code() != 0;  // help and version are exceptions too
    if (refused) {
      json = std::ranges::count(args, "--json") > 0;
      return MakeError(label::usage,
                       unknown.empty() ? absl::StrCat(error.what(), "; `tally --help` says more") : unknown);
    }
    app.exit(error, std::cout);
    return absl::OkStatus();
  }
  json = std::ranges::any_of(json_flags, [](const bool* flag) { return *flag; });
  std::vector<std::string> written;
  for (const CLI::Option* option : written_options) {
    written.insert(written.end(), option->results().begin(), option->results().end());
  }
  RETURN_IF_ERROR(CheckApart(PathsOf(read_options), written));
  if (std::ranges::count(written, kStandardOutput) > 0) out = &std::cerr;
  if (quiet) ProgressBar::Silence();
  if (quiet && !json) out = &nowhere;
  return command();
}

}  // namespace
}  // namespace tally::cli

int main(int argc, char** argv) {
  using namespace tally::cli;
  PrepareStandardStreams();
  try {
    bool json = false;
    absl::Status status = WithoutExceptions([&] { return Run(argc, argv, json); });
    if (status.ok()) status = FlushStandardOutput();
    return Report(status, json, std::cout, std::cerr);
  } catch (...) {  // there is no memory for the message either
    std::fputs("error[out_of_memory]: this machine has too little memory to say what was refused\n", stderr);
    return 1;
  }
}
