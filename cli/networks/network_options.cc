#include "cli/networks/network_options.h"

#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
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

}  // namespace

void AddNetworkOptions(CommandLine& line, CLI::App& command, NetworkFile& network) {
  line.Reads(command.add_option("model", network.path, "model file: " + FilesOfFormats()))->required();
  command.add_option("--batch", network.batch, "first dimension of inputs whose model leaves it open");
  // One value after each, so that a file may follow.
  command
      .add_option("--shape", network.shapes,
                  "NAME=1,3,224,224: shape of an input with other open dimensions; a length of 0 makes it an "
                  "empty constant")
      ->allow_extra_args(false);
  command
      .add_option("--dim", network.dims,
                  "NAME=SIZE: size of all open dimensions of this name in an ONNX file")
      ->allow_extra_args(false);
  command
      .add_option("--fix", network.fixed,
                  "NAME=VALUE: make this input a constant, such as a sampling rate; one number for all "
                  "elements, or one for each")
      ->allow_extra_args(false);
  line.Reads(command.add_option("--weights", network.weights,
                                "weights of an ncnn or OpenVINO model (default: the .bin beside it)"));
  command
      .add_option("--dialect", network.dialect,
                  "nhwc: read an ONNX file with the operators of docs/formats/onnx_nhwc.md")
      ->check(CLI::IsMember({"nhwc"}));
}

void AddPassOptions(CLI::App& command, NetworkFile& network) {
  std::string passes;
  for (const quant::GraphPass& pass : quant::AllPasses())
    passes += absl::StrCat(passes.empty() ? "" : "; ", ToAbsl(pass.name), ": ", ToAbsl(pass.what));
  command.add_option("--without-pass", network.without_passes,
                     "do not rewrite the float network by this pass (" + passes + ")");
}

void AddMethodOption(CLI::App& command, quant::ClipMethod& method) {
  std::vector<std::pair<std::string, quant::ClipMethod>> names;
  for (const quant::ClipMethodName& known : quant::kClipMethods) names.emplace_back(known.name, known.method);
  command
      .add_option("--method", method,
                  "how grids of 8 bits are chosen from the calibration: mse (default), least squared error; "
                  "percentile, without 1 of 20,000 elements at each end; kl, least relative entropy; absmax, "
                  "the whole range")
      ->transform(CLI::CheckedTransformer(names));
}

void AddServedInputOptions(CLI::App& command, ServedInputOptions& inputs) {
  command
      .add_option(
          "--input-grid", inputs.grids,
          "[NAME=]SCALE,ZERO,LO,HI: the module takes integers x in [LO, HI], which stand for SCALE * (x - "
          "ZERO); SCALE may be 1/255")
      ->allow_extra_args(false);
  command
      .add_option("--mean", inputs.means,
                  "[NAME=]A,B,C: then subtract this mean, of each channel or of all; 0.485 or 1/2")
      ->allow_extra_args(false);
  command
      .add_option("--std", inputs.stds,
                  "[NAME=]A,B,C: then divide by this standard deviation, of each channel or of all")
      ->allow_extra_args(false);
}

void AddLabelOptions(CommandLine& line, CLI::App& command, LabelOptions& right) {
  line.Reads(command.add_option("--labels", right.labels,
                                "correct labels: FILE.npy with the index of the right element for each row "
                                "of the first output; FILE.csv "
                                "with lines FILE,LABEL, or LABEL in the order of the samples; or the folder "
                                "of the samples, with a folder "
                                "for each label"));
  line.Reads(command.add_option("--names", right.names,
                                "text file with one label per line, for the elements of a row (default: the "
                                "labels of the model's file)"));
}

}  // namespace tally::cli
