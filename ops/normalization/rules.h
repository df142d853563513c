// Gas rules that the normalization rows name beside the shared ones, and the form of an exponential table.
#pragma once

#include "absl/status/status.h"
#include "base/error.h"
#include "ops/gas.h"
#include "ops/infer.h"
#include "ops/precision.h"

namespace tally {

// For each element its exponential and its place, for each row the division.
WideGas GasSoftmax(const GasContext& c);

// For each element its square and its product, for each row a root and a division.
WideGas GasNorm(const GasContext& c);

// For each result its window, its binade and its product; once the tables.
WideGas GasLocalResponseNorm(const GasContext& c);

// Operand i must be a constant list of at most 65,536 entries (error `c_list`) in [0, 2^30], the first of
// them at least 1 (error `c_entry`): the exponentials of softmax, log_softmax and attention.
absl::Status CheckExponentialTable(const InferContext& c, int i, Label c_list, Label c_entry);

}  // namespace tally
