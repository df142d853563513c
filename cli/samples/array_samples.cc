#include "cli/samples/array_samples.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/io/npy.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "frontends/graph/float_format.h"

namespace tally::cli {
namespace {

template <typename T>
T ElementAt(const uint8_t* bytes, size_t i) {
  T element;
  std::memcpy(&element, bytes + i * sizeof element, sizeof element);
  return element;
}

// The integer at place i.
int64_t IntegerAt(NpyType type, const uint8_t* bytes, size_t i) {
  switch (type) {
    case NpyType::kInt8: return ElementAt<int8_t>(bytes, i);
    case NpyType::kBool:
    case NpyType::kUint8: return bytes[i];
    case NpyType::kUint16: return ElementAt<uint16_t>(bytes, i);
    case NpyType::kInt16: return ElementAt<int16_t>(bytes, i);
    case NpyType::kUint32: return ElementAt<uint32_t>(bytes, i);
    case NpyType::kInt32: return ElementAt<int32_t>(bytes, i);
    default: break;
  }
  return ElementAt<int64_t>(bytes, i);
}

std::optional<frontend::FloatFormat> FloatFormatOf(NpyType type) {
  switch (type) {
    case NpyType::kFloat16: return frontend::kHalf;
    case NpyType::kFloat32: return frontend::kSingle;
    case NpyType::kFloat64: return frontend::kDouble;
    default: return std::nullopt;
  }
}

// [n, h, w, c] as [n, c, h, w], by the second.
template <typename T>
std::vector<T> ChannelsFirst(const std::vector<T>& x, const quant::Shape& shape) {
  const int64_t channels = shape[1], pixels = shape[2] * shape[3];
  std::vector<T> y(x.size());
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        y[static_cast<size_t>((n * channels + c) * pixels + p)] =
            x[static_cast<size_t>((n * pixels + p) * channels + c)];
      }
    }
  }
  return y;
}

// How many samples an array of shape `array` holds, each of `sample`; 0 where it is none of samples.
int64_t CountOf(std::span<const int64_t> array, std::span<const int64_t> sample) {
  if (std::ranges::equal(array, sample)) return 1;
  if (!array.empty() && std::ranges::equal(array.subspan(1), sample)) return array[0];
  if (sample.empty() || sample[0] != 1) return 0;
  const auto without_batch = sample.subspan(1);
  if (std::ranges::equal(array, without_batch)) return 1;
  return !array.empty() && std::ranges::equal(array.subspan(1), without_batch) ? array[0] : 0;
}

// The same as the form wants it of elements of this type.
int64_t CountIn(const NpyLayout& layout, const quant::Shape& sample, const SampleForm& form) {
  const int64_t count = CountOf(layout.shape, sample);
  const bool is_exact = form.integers_are_exact && !FloatFormatOf(layout.type).has_value();
  return count == 1 && is_exact && layout.shape != sample ? 0 : count;
}

quant::Shape ChannelsLast(const quant::Shape& shape) { return {shape[0], shape[2], shape[3], shape[1]}; }

class ArraySamples : public Samples {
 public:
  ArraySamples(std::unique_ptr<StoredBytes> file, NpyLayout layout, SampleForm form, int64_t count)
      : file_(std::move(file)), layout_(std::move(layout)), form_(std::move(form)), count_(count) {}

  int64_t count() const override { return count_; }

  absl::StatusOr<SampleElements> Read(int64_t sample) override {
    const auto elements = static_cast<size_t>(quant::NumElements(form_.shape));
    std::vector<uint8_t> bytes(elements * static_cast<size_t>(NpyTypeSize(layout_.type)));
    RETURN_IF_ERROR(file_->Read(layout_.data_offset + static_cast<uint64_t>(sample) * bytes.size(), bytes));
    if (const auto format = FloatFormatOf(layout_.type)) {
      std::vector<float> reals = frontend::DecodeFloats(bytes, *format);
      return form_.channels_last ? ChannelsFirst(reals, form_.shape) : std::move(reals);
    }
    std::vector<int64_t> integers(elements);
    for (size_t i = 0; i < elements; ++i) {
      integers[i] = IntegerAt(layout_.type, bytes.data(), i);
      if (layout_.type == NpyType::kUint64 && integers[i] < 0) {
        return MakeError(label::samples_range, absl::StrCat("holds ", static_cast<uint64_t>(integers[i]),
                                                            ", which is 2^63 or more"));
      }
    }
    return form_.channels_last ? ChannelsFirst(integers, form_.shape) : std::move(integers);
  }

 private:
  std::unique_ptr<StoredBytes> file_;
  NpyLayout layout_;
  SampleForm form_;
  int64_t count_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Samples>> OpenNpy(std::unique_ptr<StoredBytes> file, const SampleForm& form) {
  std::vector<uint8_t> start(static_cast<size_t>(std::min<uint64_t>(file->size(), kMaxNpyPreamble)));
  RETURN_IF_ERROR(file->Read(0, start));
  ASSIGN_OR_RETURN(NpyLayout layout, ReadNpyLayout(start, file->size()));
  const bool is_image = form.shape.size() == 4;
  if (form.channels_last && !is_image) {
    return MakeError(form.wrong_shape, absl::StrCat("is for an input of shape ", quant::ToString(form.shape),
                                                    ": --layout nhwc is for those of rank 4"));
  }
  const int64_t count = CountIn(layout, form.channels_last ? ChannelsLast(form.shape) : form.shape, form);
  if (count > 0) return std::make_unique<ArraySamples>(std::move(file), std::move(layout), form, count);
  const bool is_other_layout =
      is_image && CountOf(layout.shape, form.channels_last ? form.shape : ChannelsLast(form.shape)) > 0;
  return MakeError(form.wrong_shape,
                   absl::StrCat("has shape ", quant::ToString(layout.shape),
                                ", which is not [samples, ...] of ", quant::ToString(form.shape),
                                !is_other_layout     ? ""
                                : form.channels_last ? "; it lies so without --layout nhwc"
                                                     : "; --layout nhwc reads it"));
}

}  // namespace tally::cli
