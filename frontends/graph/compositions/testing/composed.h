// A graph of one composition, for its tests.
//
//   Composed c;
//   const Operand x = c.Input("x", {2, 3});
//   const quant::Graph graph = c.Build({*Swish(c.emitter(), x, 1)});
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/emitter.h"
#include "quant/graph/float_executor.h"

namespace tally::frontend {

class Composed {
 public:
  Operand Input(const std::string& name, const quant::Shape& shape) {
    return *scope_.AddInput({name, {quant::ElementType::kFloat32, shape}});
  }
  Operand IntegerInput(const std::string& name, const quant::Shape& shape, const Interval& interval) {
    return *scope_.AddInput({name, {quant::ElementType::kInt64, shape}, quant::kGraphInput, interval});
  }
  Operand Constant(quant::Tensor tensor) { return *emitter_.NewConstant(std::move(tensor), "constant"); }
  Emitter& emitter() { return emitter_; }

  // The graph that yields these.
  quant::Graph Build(const std::vector<Operand>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const absl::Status added = scope_.AddOutput(outputs[i], "out" + std::to_string(i));
      EXPECT_TRUE(added.ok()) << added;
    }
    auto graph = std::move(scope_).Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }

 private:
  Scope scope_{"composed", int64_t{1} << 20};
  Emitter emitter_{scope_, "y", "the layer"};
};

// The results of a graph for these inputs.
inline std::vector<quant::Tensor> RunComposed(const quant::Graph& graph,
                                              const std::vector<quant::FloatTensor>& inputs) {
  auto results = quant::RunGraph(graph, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return *std::move(results);
}

}  // namespace tally::frontend
