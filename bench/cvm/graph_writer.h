// Writes a model as CVM's own tools do: a graph in JSON and its parameters as a list of arrays.
//
//   GraphWriter g({1, 3, 224, 224});
//   const int w = g.Weights("w", {64, 3, 7, 7}, weights);
//   const int y = g.Operator("conv2d", {g.data(), w}, {{"channels", "64"}, ...}, {1, 64, 112, 112});
//   CvmModel model = std::move(g).Finish(y);
//
// Entries are named by their index; every operator written here has one output. The caller knows the shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor.h"

namespace tally::bench {

struct CvmModel {
  std::string graph;  // JSON
  std::vector<uint8_t> params;
};

using Dims = std::vector<int64_t>;
using CvmAttributes = std::vector<std::pair<std::string, std::string>>;

class GraphWriter {
 public:
  // Input `data` of 8 bits.
  explicit GraphWriter(Dims data);

  int data() const { return 0; }

  // A parameter of 8 bits, stored in as many.
  int Weights(const std::string& name, Dims dims, std::span<const int8_t> values);

  // A parameter of 32 bits, declared with the precision that its values need.
  int Integers(const std::string& name, Dims dims, std::span<const int32_t> values);

  int Operator(const std::string& op, std::vector<int> inputs, CvmAttributes attributes, Dims result);

  CvmModel Finish(int head) &&;

 private:
  struct Node {
    std::string op, name;  // op "null": a variable
    std::vector<int> inputs;
    CvmAttributes attributes;
    Dims dims;
    int precision;  // of operators cvm-runtime infers it: -1
  };
  int Push(Node node);
  int Variable(const std::string& name, int precision, Dims dims, Tensor values);

  std::vector<Node> nodes_;
  std::vector<std::pair<std::string, Tensor>> arrays_;
};

}  // namespace tally::bench
