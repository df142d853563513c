#include "ops/cpu/gemm/pack_activation.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/int_math.h"

namespace tally {
namespace {

template <typename To, typename From>
void Convert(const From* x, int64_t x_step, int64_t base, int64_t count, To* to, int64_t to_step) {
  const auto offset = static_cast<uint32_t>(base);
  if (x_step == 1 && to_step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(static_cast<uint32_t>(x[i]) - offset);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i * to_step] = static_cast<To>(static_cast<uint32_t>(x[i * x_step]) - offset);
  }
}

template <typename From>
void ConvertTo(Element element, const uint8_t* x, int64_t x_step, int64_t base, int64_t count, uint8_t* to,
               int64_t to_step) {
  const auto* from = reinterpret_cast<const From*>(x);
  switch (element) {
    case Element::kS8:
    case Element::kS8Pairs: return Convert(from, x_step, base, count, to, to_step);
    case Element::kBiasedS8: return Convert(from, x_step, base - 128, count, to, to_step);
    case Element::kS16:
    case Element::kS16S8: return Convert(from, x_step, base, count, reinterpret_cast<uint16_t*>(to), to_step);
    case Element::kS32: return Convert(from, x_step, base, count, reinterpret_cast<uint32_t*>(to), to_step);
  }
}

// Bytes plus a constant, modulo 2^8.
void AddToBytes(const uint8_t* x, uint8_t bias, int64_t count, uint8_t* to) {
  if (bias == 0) {
    std::memcpy(to, x, count);
    return;
  }
  typedef uint8_t Vector __attribute__((vector_size(64)));
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    Vector v;
    std::memcpy(&v, x + i, sizeof v);
    v += bias;
    std::memcpy(to + i, &v, sizeof v);
  }
  for (; i < count; ++i) to[i] = static_cast<uint8_t>(x[i] + bias);
}

// Elements `x_step` apart to elements `to_step` apart. The low bytes of what fits are the same in every
// width.
void Copy(Storage storage, Element element, const uint8_t* x, int64_t x_step, int64_t base, int64_t count,
          uint8_t* to, int64_t to_step) {
  if (storage == Storage::kI8 && SizeBytes(element) == 1 && x_step == 1 && to_step == 1) {
    const int64_t bias = (element == Element::kBiasedS8 ? 128 : 0) - base;
    return AddToBytes(x, static_cast<uint8_t>(bias), count, to);
  }
  switch (storage) {
    case Storage::kI8: return ConvertTo<int8_t>(element, x, x_step, base, count, to, to_step);
    case Storage::kI16: return ConvertTo<int16_t>(element, x, x_step, base, count, to, to_step);
    case Storage::kI32: return ConvertTo<int32_t>(element, x, x_step, base, count, to, to_step);
    case Storage::kI64: return ConvertTo<int64_t>(element, x, x_step, base, count, to, to_step);
  }
}

// One line of a phase: pixels whose column is phase + stride * w - pad.
class Line {
 public:
  Line(const PackActivationArgs& call, int64_t n, int64_t group, int64_t d, int64_t h)
      : c_(call), s_(*call.shape), image_(*call.image) {
    channels_ = s_.group_channels();
    const int64_t plane = s_.size[0] * s_.size[1] * s_.size[2], row = (d * s_.size[1] + h) * s_.size[2];
    first_ = call.channels_last ? (n * plane + row) * s_.channels + group * channels_
                                : (n * s_.channels + group * channels_) * plane + row;
    pixel_step_ = call.channels_last ? s_.channels : 1;
    channel_step_ = call.channels_last ? 1 : plane;
  }

  void Write(int64_t phase, uint8_t* to) const {
    const int64_t stride = image_.phase_stride[2], shift = phase - s_.pad_begin[2];
    if (s_.input_dilation[2] > 1) return WriteDilated(to);
    // Columns shift + stride * w that are in [0, W).
    const int64_t from = std::min(image_.size[2], shift >= 0 ? 0 : (-shift + stride - 1) / stride);
    const int64_t room = s_.size[2] - 1 - shift;
    const int64_t until = std::max(from, room < 0 ? 0 : std::min(image_.size[2], room / stride + 1));
    const int64_t zero = c_.zero - c_.base, pixel = image_.pixel_bytes();
    FillElements(image_.element, zero, from * image_.channels, to);
    FillElements(image_.element, zero, (image_.size[2] - until) * image_.channels, to + until * pixel);
    if (from < until) Pixels(shift + stride * from, until - from, to + from * pixel);
  }

 private:
  void WriteDilated(uint8_t* to) const {
    FillElements(image_.element, c_.zero - c_.base, image_.size[2] * image_.channels, to);
    for (int64_t column = 0; column < s_.size[2]; ++column) {
      const int64_t at = column * s_.input_dilation[2] + s_.pad_begin[2];
      if (at >= 0 && at < image_.size[2]) Pixels(column, 1, to + at * image_.pixel_bytes());
    }
  }

  void Pixels(int64_t column, int64_t count, uint8_t* to) const {
    const int64_t stride = image_.phase_stride[2], size = SizeBytes(c_.storage);
    const uint8_t* x = c_.x + (first_ + column * pixel_step_) * size;
    if (c_.channels_last && channels_ == image_.channels) {
      if (stride == 1 && channels_ == s_.channels) {
        return Copy(c_.storage, image_.element, x, 1, c_.base, count * channels_, to, 1);
      }
      for (int64_t i = 0; i < count; ++i) {
        Copy(c_.storage, image_.element, x + i * stride * pixel_step_ * size, 1, c_.base, channels_,
             to + i * image_.pixel_bytes(), 1);
      }
      return;
    }
    const int64_t element = SizeBytes(image_.element);
    for (int64_t channel = 0; channel < channels_; ++channel) {
      Copy(c_.storage, image_.element, x + channel * channel_step_ * size, stride * pixel_step_, c_.base,
           count, to + channel * element, image_.channels);
    }
  }

  const PackActivationArgs& c_;
  const ConvolutionShape& s_;
  const PackedImage& image_;
  int64_t channels_, first_, pixel_step_, channel_step_;
};

// `count` windows of kBytes, `step` bytes apart, to places `pixel` bytes apart.
template <int64_t kBytes>
void CopyWindows(const uint8_t* from, int64_t step, int64_t count, uint8_t* to, int64_t pixel) {
  for (int64_t w = 0; w < count; ++w, to += pixel, from += step) std::memcpy(to, from, kBytes);
}

// A line of windows: of each line of x that it reads, the elements of a plane side by side, and then its
// windows. What follows the last element of a window meets weights of zero.
void WindowLine(const PackActivationArgs& call, int64_t n, int64_t line, uint8_t* to) {
  const PackedImage& image = *call.image;
  ConvolutionShape s = *call.shape;  // a plane is a group
  s.groups = image.window_planes;
  const int64_t element = SizeBytes(image.element), step = s.stride[2] * s.group_channels() * element;
  const int64_t window = image.window * element, pixel = image.pixel_bytes(), count = s.out[2];
  alignas(64) uint8_t elements[16 << 10];
  const int64_t columns = (s.out[2] - 1) * s.stride[2] + s.kernel[2];
  const PackedImage pixels = {
      .element = image.element, .channels = s.group_channels(), .size = {1, 1, columns}};
  PackActivationArgs part = call;  // the line as an image of pixels
  part.shape = &s;
  part.image = &pixels;
  for (int64_t l = 0; l < image.window_lines; ++l) {
    const int64_t row = line * s.stride[1] + l - s.pad_begin[1];
    for (int64_t plane = 0; plane < s.groups; ++plane, to += window) {
      if (row < 0 || row >= s.size[1]) {
        FillElements(image.element, call.zero - call.base, columns * pixels.channels, elements);
      } else {
        Line(part, n, plane, 0, row).Write(0, elements);
      }
      for (int64_t b = 0; b < window;) {
        if (window - b >= 16) {
          CopyWindows<16>(elements + b, step, count, to + b, pixel), b += 16;
        } else if (window - b >= 8) {
          CopyWindows<8>(elements + b, step, count, to + b, pixel), b += 8;
        } else {
          CopyWindows<4>(elements + b, step, count, to + b, pixel), b += 4;
        }
      }
    }
  }
}

// The line of x at a position of a dilated axis, or -1.
int64_t InX(int64_t position, int64_t input_dilation, int64_t size) {
  if (position < 0 || position % input_dilation != 0) return -1;
  return position / input_dilation < size ? position / input_dilation : -1;
}

// Whether windows may leave out positions of the first two axes between those that they read.
bool HasGaps(const ConvolutionShape& s) {
  const auto leaves_out = [&](int i) { return s.dilation[i] > 1 || s.stride[i] > s.kernel[i]; };
  return leaves_out(0) || leaves_out(1);
}

// The first position of axis i from `position` on that a window reads, padding included; kNone where none
// does.
constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
int64_t NextRead(const ConvolutionShape& s, int i, int64_t position) {
  int64_t next = kNone;
  for (int64_t tap = 0; tap < s.kernel[i]; ++tap) {
    const int64_t first = tap * s.dilation[i];
    const int64_t window = position <= first ? 0 : CeilDiv(position - first, s.stride[i]);
    if (window < s.out[i]) next = std::min(next, first + window * s.stride[i]);
  }
  return next;
}

// How many of the lines from h on no window reads; `y` and `z` are the positions of line h.
int64_t UnreadLines(const ConvolutionShape& s, const PackedImage& image, int64_t h, int64_t y, int64_t z) {
  const int64_t left = image.size[1] - h;
  if (NextRead(s, 0, z) != z) return left;
  const int64_t next = NextRead(s, 1, y);
  return next == kNone ? left : std::min(left, CeilDiv(next - y, image.phase_stride[1]));
}

}  // namespace

int64_t PackedLines(const ConvolutionShape& shape, const PackedImage& image) {
  return shape.batch * shape.groups * static_cast<int64_t>(image.phases.size()) * image.size[0] *
         image.size[1];
}

void PackActivation(const PackActivationArgs& call) noexcept {
  const ConvolutionShape& s = *call.shape;
  const PackedImage& image = *call.image;
  const bool has_gaps = image.window == 0 && HasGaps(s);
  for (int64_t line = call.line_begin; line < call.line_end; ++line) {
    int64_t rest = line;
    const int64_t h = rest % image.size[1];
    rest /= image.size[1];
    const int64_t d = rest % image.size[0];
    rest /= image.size[0];
    const auto& phase = image.phases[rest % static_cast<int64_t>(image.phases.size())];
    rest /= static_cast<int64_t>(image.phases.size());
    const int64_t y = h * image.phase_stride[1] + phase[1], z = d * image.phase_stride[0] + phase[0];
    if (has_gaps) {
      if (const int64_t unread = UnreadLines(s, image, h, y, z); unread > 0) {
        line += unread - 1;
        continue;
      }
    }
    const int64_t row = InX(y - s.pad_begin[1], s.input_dilation[1], s.size[1]);
    const int64_t slice = InX(z - s.pad_begin[0], s.input_dilation[0], s.size[0]);
    uint8_t* to = call.packed_x + line * image.line_bytes();
    if (image.window > 0) {
      WindowLine(call, rest, h, to);
      continue;
    }
    if (row < 0 || slice < 0) {
      FillElements(image.element, call.zero - call.base, image.size[2] * image.channels, to);
    } else {
      Line(call, rest / s.groups, rest % s.groups, slice, row).Write(phase[2], to);
    }
  }
}

void PackElements(const uint8_t* x, Storage storage, int64_t base, int64_t count, Element element,
                  uint8_t* packed_x) noexcept {
  Copy(storage, element, x, 1, base, count, packed_x, 1);
}

void FillElements(Element element, int64_t value, int64_t count, uint8_t* to) noexcept {
  if (element == Element::kS32) {
    std::fill_n(reinterpret_cast<uint32_t*>(to), count, static_cast<uint32_t>(value));
  } else if (StorageOf(element) == Storage::kI16) {
    std::fill_n(reinterpret_cast<uint16_t*>(to), count, static_cast<uint16_t>(value));
  } else {
    std::memset(to, static_cast<uint8_t>(value + (element == Element::kBiasedS8 ? 128 : 0)), count);
  }
}

}  // namespace tally
