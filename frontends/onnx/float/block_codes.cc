#include "frontends/onnx/float/block_codes.h"

#include <cstddef>

#include "base/error.h"
#include "base/int_math.h"
#include "base/strings.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

absl::StatusOr<quant::FloatTensor> RealsOfBlocks(const quant::Int64Tensor& codes, const BlockGrids& grids) {
  if (grids.size < 1) return MakeError(label::model_malformed, "a block has no elements");
  const auto axis = static_cast<size_t>(grids.axis);
  quant::Shape blocks = codes.shape;
  blocks[axis] = (blocks[axis] - 1) / grids.size + 1;
  if (grids.scales.shape != blocks) {
    return MakeError(label::model_shape,
                     absl::StrCat("its scales are ", quant::ToString(grids.scales.shape), ", and blocks of ",
                                  grids.size, " along axis ", grids.axis, " of ",
                                  quant::ToString(codes.shape), " want ", quant::ToString(blocks)));
  }
  if (grids.zeros.size() != 1 && grids.zeros.size() != grids.scales.data.size()) {
    return MakeError(label::model_shape, absl::StrCat("there are ", grids.scales.data.size(), " scales and ",
                                                      grids.zeros.size(), " zero points"));
  }
  int64_t inner = 1;
  for (size_t d = axis + 1; d < codes.shape.size(); ++d) inner *= codes.shape[d];
  const int64_t length = codes.shape[axis], num_blocks = blocks[axis];
  quant::FloatTensor reals{codes.shape, {}};
  reals.data.reserve(codes.data.size());
  for (int64_t i = 0; i < std::ssize(codes.data); ++i) {
    const int64_t block = i / inner % length / grids.size;
    const auto grid = static_cast<size_t>((i / inner / length * num_blocks + block) * inner + i % inner);
    const double zero = grids.zeros[grids.zeros.size() == 1 ? 0 : grid];
    reals.data.push_back(grids.scales.data[grid] *
                         static_cast<float>(static_cast<double>(codes.data[static_cast<size_t>(i)]) - zero));
  }
  return reals;
}

std::vector<int64_t> Unpacked(const int64_t* bytes, int64_t count, int64_t bits) {
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(bytes[i * bits / 8] >> (i * bits % 8) & ((int64_t{1} << bits) - 1));
  return numbers;
}

}  // namespace tally::onnx
