// The opsets of ONNX's own operator set that are read.
#pragma once

#include <cstdint>
#include <string>

namespace tally::onnx {

constexpr int64_t kFirstOpset = 7;
constexpr int64_t kLastOpset = 28;

// The end of a refusal of `opset`, of an operator that is read from `first` to `last`. Rows of operators.inc
// end where a later opset gives the operator a definition that is not read.
inline std::string NotAt(int64_t opset, int64_t first, int64_t last) {
  if (opset < first) return ": opset " + std::to_string(first) + " is the first in which it is read";
  return ": opset " + std::to_string(last + 1) + " changed its definition";
}

}  // namespace tally::onnx
