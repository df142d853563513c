// Layers of millions of products on oneDNN, for the executor: their weights are packed once, and all
// processors take part.
//
// They compute in float32, in an order that depends on the machine and, for products of matrices on some, on
// the number of threads; so two runs agree to some 1e-6 of the largest sum.
#pragma once

#include <memory>

#include "quant/graph/graph.h"

namespace tally::quant {

class HeavyLayer {
 public:
  virtual ~HeavyLayer() = default;
  // As Evaluate of the operator.
  virtual Tensor Run(Operands operands) = 0;
};

// Nothing for other operators, for small layers, which are done before a library is called, and in programs
// that load no library.
std::unique_ptr<HeavyLayer> MakeHeavyLayer(const Graph& graph, const Node& node);

}  // namespace tally::quant
