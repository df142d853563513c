// The products and convolutions that are measured beside cublasLt.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/models/linear_shape.h"

namespace tally::bench {

struct LinearCase {
  std::string group, name;  // a group is a network or a layer of one, or things of one kind
  std::variant<MatmulShape, ConvShape> shape;
  int count = 1;  // how often the network has it
};

struct LinearPart {
  std::string_view name, summary;
  std::vector<LinearCase> (*cases)();
  bool totals;  // its groups are networks
};
const std::vector<LinearPart>& LinearParts();

}  // namespace tally::bench
