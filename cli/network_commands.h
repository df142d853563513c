// The sub-commands of `tally` that work on networks of other frameworks, apart from their command line
// (network_command_line.cc): each takes its options, writes to `out` and returns a labelled status.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/input_options.h"
#include "quant/calibrate/clip_range.h"

namespace tally::cli {

// A network of another framework.
struct NetworkFile {
  std::string path;                     // in a format that frontends/formats.h knows
  int64_t batch = 1;                    // the first dimension of its inputs, where it is open
  std::vector<std::string> shapes;      // NAME=1,3,224,224, of inputs with other open dimensions
  std::vector<std::string> dims = {};   // NAME=SIZE, of open dimensions by the names that a file of ONNX has
  std::vector<std::string> fixed = {};  // NAME=VALUE,..., of inputs that are constants
  std::string dialect = {};             // "nhwc", where a file of ONNX has it
  std::string weights = {};             // the file of weights, where the format has one and it is not beside
  std::vector<std::string> without_passes = {};  // for quant/passes, for commands that quantize
};

struct ImportModelOptions {
  NetworkFile network;
  std::string params;               // for a CVM graph
  std::vector<std::string> ranges;  // NAME=LO,HI or NAME=1/2^BITS,LO,HI
  std::string output;
  bool json = false;
};
// Reads a model of integers, or of floats in fixed point, or of CVM, and writes the module that computes
// exactly what it says; without an output, shows the float graph that the quantizer would see.
absl::Status ImportModel(const ImportModelOptions& options, std::ostream& out);

struct CheckModelOptions {
  NetworkFile network;
  bool json = false;
};
// Whether a model of another framework imports, operator by operator, with all that would be refused.
// Errors: model_format, those of the format.
absl::Status CheckModel(const CheckModelOptions& options, std::ostream& out);

struct ImportCvmOptions {
  std::string graph;   // JSON
  std::string params;  // binary
  std::string output;
  bool json = false;
};
// CVM model in, module out.
absl::Status ImportCvmModel(const ImportCvmOptions& options, std::ostream& out);

struct ExportCvmOptions {
  std::string module;
  std::string graph;
  std::string params;
  bool json = false;
};
// Module in, CVM model out.
absl::Status ExportCvmModel(const ExportCvmOptions& options, std::ostream& out);

struct ExportOnnxOptions {
  std::string module;
  std::string output;
  bool json = false;
};
// Module in, ONNX model over integers out. Errors: those of OnnxFile.
absl::Status ExportOnnxModel(const ExportOnnxOptions& options, std::ostream& out);

// The right labels of samples.
struct LabelOptions {
  std::string labels;  // a .npy file, a .csv file or a folder (cli/right_choices.h); empty: nothing is known
  std::string names;   // a text file, whose lines name the elements of a row
};

struct QuantizeOptions {
  NetworkFile network;
  ServedInputOptions inputs;
  SampleOptions calibrate;
  std::string calibration;  // read this calibration instead of measuring
  std::string save_calibration;
  quant::ClipMethod method = quant::ClipMethod::kMse;
  std::optional<double> target_sqnr;  // dB; quant::DefaultSqnr
  std::optional<double> budget;       // more gas for 16 bits, in percent
  bool fast = false;                  // 8 bits alone
  bool accurate = false;              // as many bits as help
  bool equalize = false;              // the channels (quant/equalize), though 8 bits meet the target
  LabelOptions right;
  std::string output;
  bool json = false;
};
// Float network in, module out.
absl::Status Quantize(const QuantizeOptions& options, std::ostream& out);

struct CompareOptions {
  NetworkFile network;
  std::string module;         // what quantize made of it
  ServedInputOptions inputs;  // as quantize was given
  SampleOptions samples;
  LabelOptions right;
  // Rows of the first output are logits: report how surprising the labels are to them.
  bool perplexity = false;
  std::string engine = "cpu";
  int64_t threads = 1;
  std::optional<double> min_sqnr;       // dB, of every output
  std::optional<double> min_agreement;  // a share, of every output
  std::string output;                   // folder for the results of both; none where it is empty
  bool json = false;
};
// A module beside its float network on samples. Results are written as floats, NAME.float.npy and
// NAME.module.npy, the samples along the first dimension; none below a threshold. Errors: accuracy_low
// below a threshold, those of MeasureAccuracy and OutputFiles::Write.
absl::Status Compare(const CompareOptions& options, std::ostream& out);

struct ReportOptions {
  NetworkFile network;
  std::string module;         // what quantize made of it
  ServedInputOptions inputs;  // as quantize was given
  SampleOptions samples;
  std::string calibration;  // that of the module; by default what is beside it, or what the samples give
  quant::ClipMethod method = quant::ClipMethod::kMse;  // that of the module
  std::string html;                                    // a page for a browser
  std::string csv;
  bool sensitivity = false;  // measure what the grid of each value alone costs: a run of the network for each
  int64_t threads = 1;
  bool json = false;
};
// Where a module loses accuracy, layer by layer. Errors: report_module, those of MeasureLayers.
absl::Status Report(const ReportOptions& options, std::ostream& out);

struct BisectOptions {
  ReportOptions report;  // without files
  double below = 20;     // dB
};
// The first layer, in the order of the network, whose SQNR is below a threshold. Errors: as Report.
absl::Status Bisect(const BisectOptions& options, std::ostream& out);

}  // namespace tally::cli
