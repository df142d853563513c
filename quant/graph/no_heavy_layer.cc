// For programs without shared libraries, such as oneDNN's: no layer is heavy.
#include "quant/graph/heavy_layer.h"

namespace tally::quant {

std::unique_ptr<HeavyLayer> MakeHeavyLayer(const Graph&, const Node&) { return nullptr; }

}  // namespace tally::quant
