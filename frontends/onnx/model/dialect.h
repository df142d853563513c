// The meaning of the operators of an ONNX file, which the file itself does not say.
#pragma once

#include <cstdint>

namespace tally::onnx {

enum class Dialect {
  kStandard,  // as ONNX defines them, by opset: operators.inc
  kNhwc,      // as "Operator Schemas" of 2018 does, images with channels last: nhwc_operators.inc
};

// The dialect has no versions. What it shares with ONNX has the form of this opset.
inline constexpr int64_t kOpsetOfNhwc = 8;

}  // namespace tally::onnx
