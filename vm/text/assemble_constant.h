// Constants of the text form: `i8 [2,3] {1, -2, 3, 4, 5, 6}` or `i8 [64,64] hex {0a0b...}`.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "vm/text/token_reader.h"

namespace tally {

// Error text_shape.
absl::StatusOr<Shape> TakeShape(TokenReader& reader);

// Appends the constant. Nothing is allocated for a shape whose elements cannot all follow in the text.
// Errors: text_limit, text_storage, text_shape, text_element_count, text_number, text_hex.
absl::Status AssembleConstant(TokenReader& reader, std::vector<Tensor>& constants);

}  // namespace tally
