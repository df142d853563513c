// The inputs of a module's runs: one sample of each input, or several.
//
//   ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
//   for (int64_t i = 0; i < inputs.count(); ++i) {
//     ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(i));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "cli/input_options.h"
#include "cli/samples/open_samples.h"
#include "quant/calibrate/loop.h"
#include "vm/valid_module.h"

namespace tally::cli {

class RunInputs {
 public:
  // `module` outlives this. Errors: input_name, option_syntax, those of OpenSamples; input_shape where the
  // inputs have different numbers of samples, or a result another shape than the input that it is fed to. A
  // single array of another shape is no error here: where several things are wrong with a run, the engine
  // says what comes first. `path` is where the module is, with its notes beside it: they say how inputs are
  // prepared where the options do not.
  static absl::StatusOr<RunInputs> Open(const ValidModule& module, const std::string& path,
                                        const SampleOptions& options);

  int64_t count() const { return count_; }

  // How they are prepared as the module was quantized, and how not; empty where nothing is known of it.
  const std::string& prepared() const { return prepared_; }

  // In the order of the parameters: integers as they are, floats on the grids of the metadata. Errors:
  // input_type, for floats that are not finite or where there is no grid; those of Samples::Read.
  absl::StatusOr<std::vector<Tensor>> Read(int64_t sample) const;

  // Keeps what the next sample gets of the results of this one, where --loop says so.
  void Feed(const std::vector<Tensor>& results);

  // Explains why an engine refused a run.
  absl::Status Explained(const absl::Status& refusal) const;

 private:
  // The source of an input: where its samples come from, or an array that is none of its samples, and why.
  struct Source {
    std::unique_ptr<Samples> samples;
    std::unique_ptr<const Tensor> misfit;
    absl::Status why;
    Tensor state = Tensor();  // results of the last run, for inputs that --loop feeds
  };

  static absl::StatusOr<Source> OpenSource(const std::string& path, const SampleForm& form);

  explicit RunInputs(const ValidModule& module) : module_(module) {}

  const ValidModule& module_;
  std::vector<Source> sources_;  // by parameter
  quant::Loop loop_;
  std::string prepared_;
  int64_t count_ = 1;  // a module without parameters has one
};

}  // namespace tally::cli
