#include "frontends/ncnn/weight_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/float_format.h"
#include "frontends/graph/labels.h"
#include "quant/tensor/tensor.h"

namespace tally::ncnn {
namespace {

constexpr uint32_t kHalfTag = 0x01306B47, kCodesTag = 0x000D4B38, kFloatTag = 0x0002C056;
constexpr int64_t kTableSize = 256;

template <typename T>
std::vector<T> Values(std::span<const uint8_t> bytes, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

absl::StatusOr<std::vector<float>> Finite(std::vector<float> floats) {
  if (std::ranges::all_of(floats, [](float v) { return std::isfinite(v); })) return floats;
  return MakeError(label::model_malformed, "a weight is infinite or no number");
}

}  // namespace

// So many values of `size` bytes, with what fills them up to 4.
absl::StatusOr<std::span<const uint8_t>> WeightFile::Take(int64_t count, int64_t size) {
  if (count < 0 || count > quant::kMaxElements) {
    return MakeError(label::model_malformed, absl::StrCat("there are ", count, " weights"));
  }
  const int64_t bytes = (count * size + 3) / 4 * 4;
  if (bytes > std::ssize(bytes_)) {
    return MakeError(label::model_malformed,
                     absl::StrCat("the file of weights ends before ", count, " that the layer has"));
  }
  const auto taken = bytes_.first(static_cast<size_t>(bytes));
  bytes_ = bytes_.subspan(static_cast<size_t>(bytes));
  return taken;
}

absl::StatusOr<std::vector<float>> WeightFile::Raw(int64_t count) {
  auto floats = TakeFloats(count);
  if (floats.ok()) Count(count);
  return floats;
}

absl::StatusOr<Weights> WeightFile::Tagged(int64_t count) {
  auto weights = TakeTagged(count);
  if (weights.ok()) Count(count);
  return weights;
}

absl::StatusOr<std::vector<float>> WeightFile::TakeFloats(int64_t count) {
  if (is_lost_) {
    RETURN_IF_ERROR(quant::CheckShape({count}));
    return std::vector<float>(static_cast<size_t>(count));
  }
  ASSIGN_OR_RETURN(const auto bytes, Take(count, 4));
  return Finite(Values<float>(bytes, count));
}

absl::StatusOr<Weights> WeightFile::TakeTagged(int64_t count) {
  Weights weights;
  if (is_lost_) {
    ASSIGN_OR_RETURN(weights.floats, TakeFloats(count));
    return weights;
  }
  ASSIGN_OR_RETURN(const auto tag_bytes, Take(1, 4));
  const uint32_t tag = Values<uint32_t>(tag_bytes, 1)[0];
  if (tag == kCodesTag) {
    ASSIGN_OR_RETURN(const auto bytes, Take(count, 1));
    const auto codes = Values<int8_t>(bytes, count);
    weights.codes.assign(codes.begin(), codes.end());
  } else if (tag == kHalfTag) {
    ASSIGN_OR_RETURN(const auto bytes, Take(count, 2));
    weights.floats = frontend::DecodeFloats(bytes.first(static_cast<size_t>(count) * 2), frontend::kHalf);
    ASSIGN_OR_RETURN(weights.floats, Finite(std::move(weights.floats)));
  } else if (tag == 0 || tag == kFloatTag) {
    ASSIGN_OR_RETURN(weights.floats, TakeFloats(count));
  } else {
    ASSIGN_OR_RETURN(const std::vector<float> table, TakeFloats(kTableSize));
    ASSIGN_OR_RETURN(const auto places, Take(count, 1));
    for (const uint8_t place : Values<uint8_t>(places, count)) weights.floats.push_back(table[place]);
  }
  return weights;
}

absl::Status WeightFile::CheckAllRead() const {
  if (bytes_.empty() || is_lost_) return absl::OkStatus();
  return MakeError(label::model_malformed, absl::StrCat("the file of weights has ", bytes_.size(),
                                                        " bytes more than the layers read"));
}

}  // namespace tally::ncnn
