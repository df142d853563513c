// Which values of a graph have grids that are not those of 8 bits.
#pragma once

#include <vector>

#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// By value: those that reach an output, or an operator that reads them wide, without being rescaled on the
// way but by one factor for all elements, as the scores of an attention are; logits (LogitValues); and those
// that `calibration` names.
std::vector<bool> WideValues(const Graph& graph, const Calibration& calibration);

// By value: scores, which a softmax, an argmax or a top-k reads, as they are or moved or stretched.
std::vector<bool> ScoreValues(const Graph& graph);

// By value: logits, which a sigmoid reads whose results are those of the network, as they are or moved or
// stretched.
std::vector<bool> LogitValues(const Graph& graph);

// By value: those that products multiply with more than 8 bits, as `calibration` asks for.
std::vector<bool> WideFactors(const Graph& graph, const Calibration& calibration);

// By value: those that a product of two computed values multiplies, which takes their zero points off.
std::vector<bool> CenteredValues(const Graph& graph);

// By value: those that have more than 16 bits (kLongBits) where a calibration asks for them: what a
// logarithm, a root or a falling power reads, itself or as a sum, a multiple or a bound of it, and what no
// other operator reads.
std::vector<bool> LongValues(const Graph& graph);

// By value: those that become results of the network without being computed with on the way, and are read
// by nothing else. Nothing is gained by clipping them.
std::vector<bool> ResultValues(const Graph& graph);

// By value: which of those that `calibration` names its codes are, as it is itself one, or what merely
// moved; else kNoValue.
constexpr ValueId kNoValue = -1;
std::vector<ValueId> WidenedBy(const Graph& graph, const Calibration& calibration);

}  // namespace tally::quant
