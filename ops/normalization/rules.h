// Gas rules and read sets that the normalization rows name beside the shared ones, and the form of an
// exponential table.
#pragma once

#include "absl/status/status.h"
#include "base/error.h"
#include "ops/gas.h"
#include "ops/infer.h"
#include "ops/normalization/attrs.h"
#include "ops/precision.h"
#include "ops/read_set.h"

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

template <typename Attrs>
Region NormalizedLine(const ReadContext& c, int operand);
template <typename Attrs>
Region NormalizedRow(const ReadContext& c, int operand);
Region WindowOfResponse(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsSoftmax[] = {
    {Reach::kMany, "its line along the axis", NormalizedLine<SoftmaxAttrs>, kExactly},
    {Reach::kMany, "the entries that distances from the largest element name"},
};
inline constexpr OperandReads kReadsLogSoftmax[] = {
    {Reach::kMany, "its line along the axis", NormalizedLine<LogSoftmaxAttrs>, kExactly},
    {Reach::kMany, "the entries that distances from the largest element name"},
    {Reach::kNamed, "two entries and the last"},
};
template <typename Attrs>
inline constexpr OperandReads kReadsNorm[] = {
    {Reach::kMany, "the elements that are normalized together", NormalizedRow<Attrs>, kExactly},
    {Reach::kOne, "its multiplier", BroadcastElement, kExactly},
    {Reach::kOne, "its addend", BroadcastElement, kExactly},
};
inline constexpr OperandReads kReadsResponseNorm[] = {
    {Reach::kMany, "the window around it", WindowOfResponse, kExactly},
    {Reach::kNamed, "two entries"},
    {Reach::kNamed, "one entry"},
};

}  // namespace tally
