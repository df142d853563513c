#include "cli/tensor_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "quant/lower/quantized_tensor.h"
#include "vm/labels.h"

namespace tally::cli {
namespace {

// u1 elements are their own values, in the next wider storage.
Tensor FromUint8(const Shape& shape, const std::vector<uint8_t>& bytes) {
  Tensor tensor(shape, Storage::kI16);
  for (size_t i = 0; i < bytes.size(); ++i) {
    StoreElement(Storage::kI16, tensor.mutable_bytes().data(), static_cast<int64_t>(i), bytes[i]);
  }
  return tensor;
}

std::optional<Storage> StorageOf(NpyType type) {
  switch (type) {
    case NpyType::kInt8: return Storage::kI8;
    case NpyType::kInt16: return Storage::kI16;
    case NpyType::kInt32: return Storage::kI32;
    case NpyType::kInt64: return Storage::kI64;
    default: return std::nullopt;
  }
}

NpyType NpyTypeOf(Storage storage) {
  constexpr NpyType kTypes[] = {NpyType::kInt8, NpyType::kInt16, NpyType::kInt32, NpyType::kInt64};
  return kTypes[static_cast<size_t>(storage)];
}

absl::StatusOr<Tensor> IntegersOf(const NpyArray& array, const std::string& path) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(array.shape));
  if (array.type == NpyType::kUint8) return FromUint8(shape, array.bytes);
  const auto storage = StorageOf(array.type);
  if (!storage.has_value()) {
    return MakeError(label::input_type, absl::StrCat("'", path, "' holds floats; a module takes integers"));
  }
  Tensor tensor(shape, *storage);
  std::memcpy(tensor.mutable_bytes().data(), array.bytes.data(), array.bytes.size());
  return tensor;
}

}  // namespace

absl::StatusOr<Tensor> ReadTensor(const std::string& path) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(path));
  return IntegersOf(array, path);
}

absl::StatusOr<Tensor> ReadInput(const std::string& path, const ValueInfo& info, const TensorType& type) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(path));
  if (array.type != NpyType::kFloat32) return IntegersOf(array, path);
  if (!info.quantization.has_value()) {
    return MakeError(
        label::input_type,
        absl::StrCat("'", path, "' holds floats, and the module has no grid for '", info.name, "'"));
  }
  if (!std::ranges::equal(array.shape, type.shape.dims())) {
    return MakeError(label::input_shape, absl::StrCat("'", path, "' is not ", type.shape.ToString()));
  }
  std::vector<float> reals(static_cast<size_t>(type.shape.num_elements()));
  std::memcpy(reals.data(), array.bytes.data(), array.bytes.size());
  if (!std::ranges::all_of(reals, [](float x) { return std::isfinite(x); })) {
    return MakeError(label::input_type, absl::StrCat("'", path, "' holds NaN or an infinity"));
  }
  return quant::QuantizeTensor(reals, quant::FromMetadata(*info.quantization), type);
}

absl::StatusOr<std::vector<uint8_t>> ToNpy(const Tensor& tensor) {
  const auto dims = tensor.shape().dims();
  return EncodeNpy({NpyTypeOf(tensor.storage()),
                    {dims.begin(), dims.end()},
                    {tensor.bytes().begin(), tensor.bytes().end()}});
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

absl::StatusOr<std::vector<quant::FloatTensor>> ReadSamples(const std::string& path,
                                                            const quant::Shape& sample_shape) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(path));
  if (array.type != NpyType::kFloat32) {
    return MakeError(label::samples_type, absl::StrCat("'", path, "' must hold float32 samples"));
  }
  const size_t bytes_per_sample = static_cast<size_t>(quant::NumElements(sample_shape)) * sizeof(float);
  // Samples lie along the first dimension; a batch of 1 in the network's shape may be left out.
  if (array.shape.empty() || array.shape[0] < 1 ||
      array.bytes.size() != static_cast<size_t>(array.shape[0]) * bytes_per_sample) {
    return MakeError(label::samples_shape, absl::StrCat("'", path, "' is not [samples, ...] of shape ",
                                                        quant::ToString(sample_shape)));
  }
  std::vector<quant::FloatTensor> samples(static_cast<size_t>(array.shape[0]), {sample_shape, {}});
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i].data.resize(bytes_per_sample / sizeof(float));
    std::memcpy(samples[i].data.data(), array.bytes.data() + i * bytes_per_sample, bytes_per_sample);
  }
  return samples;
}

}  // namespace tally::cli
