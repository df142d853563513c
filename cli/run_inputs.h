// What a module is run on: one sample of each input, or several.
//
//   ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.inputs));
//   for (int64_t i = 0; i < inputs.count(); ++i) {
//     ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(i));
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "cli/input_options.h"
#include "cli/samples/open_samples.h"
#include "vm/valid_module.h"

namespace tally::cli {

class RunInputs {
 public:
  // `module` outlives this. Errors: input_name, option_syntax, input_shape, those of OpenSamples.
  static absl::StatusOr<RunInputs> Open(const ValidModule& module, const SampleOptions& options);

  int64_t count() const { return count_; }

  // In the order of the parameters: integers as they are, floats on the grids of the metadata. Errors: input_type, for floats that are not
  // finite or where there is no grid; those of Samples::Read.
  absl::StatusOr<std::vector<Tensor>> Read(int64_t sample) const;

 private:
  explicit RunInputs(const ValidModule& module) : module_(module) {}

  const ValidModule& module_;
  std::vector<std::unique_ptr<Samples>> samples_;
  int64_t count_ = 1;  // of a module without parameters
};

}  // namespace tally::cli
