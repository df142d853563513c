// CVM files say which values share a buffer. Tally does not: values are immutable and placed by its own
// planner. A file may share buffers as long as that changes nothing.
#pragma once

#include "absl/status/status.h"
#include "frontends/cvm/graph.h"

namespace tally::cvm {

// Replays two inferences of cvm-runtime: weights are written once, `data` before each inference, results in
// the order of the nodes. OK when every value that a node reads, or that is a head at the end, is still in
// its buffer; then no reader could tell that buffers are shared, and no inference sees traces of another. A
// result may stand in the place of an operand only where its operator reads each element before it writes it.
// Errors: cvm_storage
absl::Status CheckStorage(const Graph& graph);

}  // namespace tally::cvm
