// A network whose channels are scaled by powers of two, with the same results, bit for bit: no rounding of
// floats changes by a power of two.
//
//   ASSIGN_OR_RETURN(graph, Equalized(graph, calibration.exponents));
#pragma once

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/equalize/channel_groups.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Element c of the list of a group: its channel c is divided by 2^that. Values keep their names; a group
// that WithUnitFactors makes gets its product. Errors: calibration_exponents, where no group has such a
// name or number of channels, or a constant would leave the range of floats.
absl::StatusOr<Graph> Equalized(Graph graph, const ChannelExponents& exponents);

// The same with groups that have been found.
absl::StatusOr<Graph> Equalized(Graph graph, const ChannelGroups& groups, const ChannelExponents& exponents);

}  // namespace tally::quant
