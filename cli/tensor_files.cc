#include "cli/tensor_files.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/io/npy_tensor.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {

absl::StatusOr<Tensor> ReadTensor(const std::string& path) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(path));
  absl::StatusOr<Tensor> tensor = TensorFromNpy(array);
  if (!HasLabel(tensor.status(), label::npy_type)) return tensor;
  return MakeError(label::input_type, absl::StrCat("'", path, "' ", tensor.status().message()));
}

absl::StatusOr<Shape> StackedShape(const Shape& shape, size_t count) {
  if (count == 1) return shape;
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (dims.empty() || dims[0] != 1) dims.insert(dims.begin(), 1);
  dims[0] = static_cast<int64_t>(count);
  return Shape::Create(dims);
}

absl::StatusOr<std::vector<uint8_t>> ToFloatNpy(const Shape& shape, std::span<const double> reals) {
  std::vector<uint8_t> bytes(reals.size() * sizeof(float));
  for (size_t i = 0; i < reals.size(); ++i) {
    const auto real = static_cast<float>(reals[i]);
    std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);
  }
  const auto dims = shape.dims();
  return EncodeNpy({NpyType::kFloat32, {dims.begin(), dims.end()}, std::move(bytes)});
}

}  // namespace tally::cli
