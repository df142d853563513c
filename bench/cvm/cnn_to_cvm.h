// A convolutional network in CVM's operators: 8-bit activations around zero, 8-bit weights, requantised by
// shifts.
//
//   conv2d + bias -> cvm_right_shift [-> relu]         elemwise_add -> cvm_clip or cvm_right_shift [-> relu]
//   sum over H and W -> cvm_right_shift                dense + bias -> cvm_right_shift
//
// A shift is a power of two for the whole tensor, so gains of channels have no place here. Shifts follow from
// estimates of mean and variance, so that activations keep their bits at any depth.
#pragma once

#include "absl/status/statusor.h"
#include "bench/models/cnn.h"
#include "frontends/cvm/export_cvm.h"

namespace tally::bench {

// Takes the topology and the weights of `net`. Profile cvm.
Module CnnToCvm(const Cnn& net);

// The same in CVM's own format. Errors: those of Validate and ExportCvm.
absl::StatusOr<cvm::ModelFiles> CnnToCvmFiles(const Cnn& net);

}  // namespace tally::bench
