// Constants whose codes have a scale for each block of an axis: the weights of language models, mostly.
//
//   ASSIGN_OR_RETURN(const quant::FloatTensor reals, RealsOfBlocks(codes, {scales, zeros, /*axis=*/1, 32}));
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/tensor/tensor.h"

namespace tally::onnx {

struct BlockGrids {
  quant::FloatTensor scales;  // in the shape of the codes, but along `axis` one for each block
  std::vector<double> zeros;  // one for each scale, or one for all
  int64_t axis = 0;
  int64_t size = 1;  // elements of a block; the last may have fewer
};

// scale * (code - zero). Errors: model_shape, where scales or zeros are not as many as there are blocks;
// model_malformed, where a block has no elements.
absl::StatusOr<quant::FloatTensor> RealsOfBlocks(const quant::Int64Tensor& codes, const BlockGrids& grids);

// `count` numbers of `bits` bits each from the start of a row of bytes, the lowest bits first. `bits` divides
// 8.
std::vector<int64_t> Unpacked(const int64_t* bytes, int64_t count, int64_t bits);

}  // namespace tally::onnx
