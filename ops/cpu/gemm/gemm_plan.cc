#include "ops/cpu/gemm/gemm_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/int_math.h"

namespace tally {
namespace {

using Position = std::array<int64_t, 3>;

constexpr int64_t kStepBytes = 64;  // for a row that a matrix unit reads at once

// Short lines of a strided kernel, as in the first layer of a network on images, fill a step better unsplit:
// then a row starts `stride` pixels after the last one, and a tile stays within a line of y.
bool KeepsLinesWhole(const ConvolutionShape& s, int64_t pixel_bytes) {
  return s.stride[2] > 1 && s.dilation[2] == 1 && s.kernel[2] * pixel_bytes <= kStepBytes && s.out[2] >= 8;
}

struct Tap {
  int64_t offset;
  int64_t number;
};

// Every tap at its distance from the pixel, ascending, and the phases that taps read.
std::vector<Tap> PlaceTaps(const ConvolutionShape& s, bool by_columns, PackedImage& image) {
  std::map<Position, int64_t> phases;
  std::vector<Tap> taps;
  int64_t number = 0;
  for (int64_t d = 0; d < s.kernel[0]; ++d) {
    for (int64_t h = 0; h < s.kernel[1]; ++h) {
      for (int64_t w = 0; w < s.kernel[2]; ++w, ++number) {
        const Position at = {d * s.dilation[0], h * s.dilation[1], w * s.dilation[2]};
        Position phase, inside;
        for (int i = 0; i < 3; ++i) {
          phase[i] = at[i] % image.phase_stride[i];
          inside[i] = at[i] / image.phase_stride[i];
        }
        if (by_columns) phase[2] = at[2], inside[2] = 0;
        const auto [entry, added] = phases.emplace(phase, static_cast<int64_t>(image.phases.size()));
        if (added) image.phases.push_back(phase);
        const int64_t pixel = (inside[0] * image.size[1] + inside[1]) * image.size[2] + inside[2];
        taps.push_back({entry->second * image.phase_bytes() + pixel * image.pixel_bytes(), number});
      }
    }
  }
  std::sort(taps.begin(), taps.end(), [](const Tap& a, const Tap& b) { return a.offset < b.offset; });
  return taps;
}

// Neighbouring taps become one run, if all runs come out equally long. Of a pixel's elements those of
// `channels` count.
void MakeSegments(const std::vector<Tap>& taps, const PackedImage& image, int64_t channels, GemmPlan& plan) {
  std::vector<std::vector<int64_t>> segments;
  for (size_t i = 0; i < taps.size(); ++i) {
    if (i == 0 || taps[i].offset != taps[i - 1].offset + image.pixel_bytes()) {
      plan.segments.push_back(taps[i].offset);
      segments.emplace_back();
    }
    segments.back().push_back(taps[i].number);
  }
  const size_t length = segments.front().size();
  if (!std::ranges::all_of(segments, [&](const auto& segment) { return segment.size() == length; })) {
    plan.segments.clear();
    segments.clear();
    for (const Tap& tap : taps) {
      plan.segments.push_back(tap.offset);
      segments.push_back({tap.number});
    }
  }
  for (const auto& segment : segments) {
    auto& terms = plan.terms.emplace_back();
    for (const int64_t tap : segment) {
      for (int64_t c = 0; c < image.channels; ++c) {
        terms.push_back(c < channels ? static_cast<int32_t>(tap * channels + c) : -1);
      }
    }
  }
}

// Windows fill a step of a matrix unit where the lines of a strided kernel are short.
constexpr int64_t kMaxWindow = 32;
constexpr int64_t kMaxWindowLine = 16 << 10;  // elements of a line of x that packing holds at once

bool TakesWindows(const ConvolutionShape& s, const MicroKernel& kernel) {
  return kernel.k_groups > 1 && s.groups == 1 && s.stride[2] > 1 && s.kernel[0] == 1 && s.size[0] == 1 &&
         s.out[0] == 1 && s.pad_begin[0] == 0 && s.stride[0] == 1 && s.dilation[1] == 1 &&
         s.dilation[2] == 1 && s.kernel[2] * s.channels <= kMaxWindow &&
         (s.padded_size(2) + kMaxWindow) * s.channels <= kMaxWindowLine;
}

void MakeWindows(const ConvolutionShape& s, bool planes, PackedImage& image, GemmPlan& plan) {
  const PackedWindows windows = WindowsOf(s, planes);
  image.window_planes = windows.planes;
  image.window = windows.size;
  image.window_lines = windows.lines;
  image.channels = windows.pixel();
  const int64_t channels = s.channels / image.window_planes;  // a plane's
  const int64_t line = image.window_planes * image.window;
  image.phases = {{0, 0, 0}};
  image.phase_stride = {1, 1, 1};
  image.size = {1, s.out[1] + windows.segments - 1, s.out[2]};
  for (int64_t segment = 0; segment < windows.segments; ++segment) {
    plan.segments.push_back(segment * image.line_bytes());
    auto& terms = plan.terms.emplace_back(image.channels, -1);
    for (int64_t k = 0; k < image.channels; ++k) {
      const int64_t h = segment * s.stride[1] + k / line, plane = k % line / image.window;
      const int64_t w = k % image.window / channels, c = plane + k % image.window % channels;
      if (h >= s.kernel[1] || w >= s.kernel[2]) continue;
      terms[k] = static_cast<int32_t>((h * s.kernel[2] + w) * s.channels + c);
    }
  }
}

// The last byte that a kernel reads follows the last row of a full tile, whatever rows the tile has.
void FinishPlan(const MicroKernel& kernel, int64_t x_bytes, GemmPlan& plan) {
  plan.k_groups_per_segment = kernel.KGroupsOf(std::ssize(plan.terms.front()));
  const int64_t last_segment = *std::ranges::max_element(plan.segments);
  int64_t end = 0;
  for (const MTile& tile : plan.tiles) end = std::max(end, tile.x_offset);
  end += (kernel.tile_rows - 1) * plan.row_stride + last_segment +
         plan.k_groups_per_segment * XBytesOfKGroup(kernel.element);
  plan.overread_bytes = std::max<int64_t>(0, end - x_bytes);
}

// Tiles over the pixels of one image: lines of `line` pixels of which the first out[2] have results.
void TileImage(const ConvolutionShape& s, const MicroKernel& kernel, const PackedImage& image,
               bool whole_lines, int64_t x_start, int64_t y_start, GemmPlan& plan) {
  const int64_t pixel = image.pixel_bytes();
  const auto add_tile = [&](int64_t offset) {
    plan.tiles.push_back({.x_offset = x_start + offset});
    plan.rows.resize(plan.rows.size() + kernel.tile_rows, -1);
  };
  // Row r of the last tile is pixel (d, h, w) of y.
  const auto set_row = [&](int64_t r, int64_t d, int64_t h, int64_t w) {
    plan.tiles.back().rows = static_cast<int32_t>(r + 1);
    plan.rows[plan.rows.size() - kernel.tile_rows + r] =
        (y_start + (d * s.out[1] + h) * s.out[2] + w) * s.out_channels;
  };
  if (whole_lines) {
    for (int64_t d = 0; d < s.out[0]; ++d) {
      for (int64_t h = 0; h < s.out[1]; ++h) {
        const int64_t line = (d * s.stride[0] * image.size[1] + h * s.stride[1]) * image.size[2];
        for (int64_t w = 0; w < s.out[2]; ++w) {
          if (w % kernel.tile_rows == 0) add_tile((line + w * s.stride[2]) * pixel);
          set_row(w % kernel.tile_rows, d, h, w);
        }
      }
    }
    return;
  }
  int64_t tile_start = 0;
  bool open = false;
  for (int64_t d = 0; d < s.out[0]; ++d) {
    for (int64_t h = 0; h < s.out[1]; ++h) {
      for (int64_t w = 0; w < s.out[2]; ++w) {
        const int64_t p = (d * image.size[1] + h) * image.size[2] + w;
        if (!open || p >= tile_start + kernel.tile_rows) {
          add_tile(p * pixel);
          tile_start = p;
          open = true;
        }
        set_row(p - tile_start, d, h, w);
      }
    }
  }
}

}  // namespace

PackedForm FormOf(const ConvolutionShape& s, const MicroKernel& kernel) {
  if (TakesWindows(s, kernel)) return PackedForm::kWindows;
  return KeepsLinesWhole(s, s.group_channels() * SizeBytes(kernel.element)) ? PackedForm::kWholeLines
                                                                            : PackedForm::kPhases;
}

PackedWindows WindowsOf(const ConvolutionShape& s, bool x_in_planes) {
  PackedWindows windows = {.planes = x_in_planes ? s.channels : 1};
  windows.size = RoundUp(s.kernel[2] * (s.channels / windows.planes), windows.planes > 1 ? 4 : 16);
  const int64_t line = windows.planes * windows.size;
  // The whole kernel in one step, or as many lines as a step takes to the next row.
  const bool whole = s.kernel[1] * line <= kStepBytes;
  windows.lines = whole ? s.kernel[1] : s.stride[1];
  windows.segments = whole ? 1 : CeilDiv(s.kernel[1], s.stride[1]);
  return windows;
}

namespace {

ConvolutionPlan PlanForm(const ConvolutionShape& s, const MicroKernel& kernel, PackedForm form,
                         bool x_in_planes, bool x_is_element) {
  ConvolutionPlan r;
  PackedImage& image = r.image;
  GemmPlan& plan = r.plan;
  image.element = kernel.element;
  const Position padded = {s.padded_size(0), s.padded_size(1), s.padded_size(2)};
  const bool whole_lines = form == PackedForm::kWholeLines, by_columns = form == PackedForm::kColumns;
  if (form == PackedForm::kWindows) {
    MakeWindows(s, x_in_planes, image, plan);
  } else {
    image.channels = s.group_channels();
    for (int i = 0; i < 3; ++i) {
      image.phase_stride[i] = whole_lines ? 1 : s.stride[i];
      image.size[i] = CeilDiv(padded[i], image.phase_stride[i]);
    }
    if (by_columns) image.size[2] = s.out[2];
    MakeSegments(PlaceTaps(s, by_columns, image), image, s.group_channels(), plan);
  }
  plan.row_stride = image.pixel_bytes() * (whole_lines ? s.stride[2] : 1);
  // Nothing moves but elements: the packed image is x, channels last.
  const Position ones = {1, 1, 1};
  const bool same = s.groups == 1 && s.stride == ones && s.input_dilation == ones &&
                    s.pad_begin == Position{0, 0, 0} && padded == s.size && image.window == 0 &&
                    image.channels == s.channels;
  r.in_place = same && x_is_element;
  const int64_t out_pixels = s.out[0] * s.out[1] * s.out[2];
  if (same && s.taps() == 1) {  // the images are one matrix
    plan = PlanMatrix(s.batch * out_pixels, s.channels, s.out_channels, kernel);
    return r;
  }
  for (int64_t n = 0; n < s.batch; ++n) {
    TileImage(s, kernel, image, whole_lines, n * s.groups * image.bytes(), n * out_pixels, plan);
  }
  // Tiles are those of the first group, after which the images of the others are.
  FinishPlan(kernel, (s.batch * s.groups - (s.groups - 1)) * image.bytes(), plan);
  return r;
}

// The rows of the next tile of a matrix, of which `left` are left. Where one instruction multiplies and adds,
// one or two rows alone wait for each of their few sums: two halves of what is left take less.
int64_t RowsOfTile(int64_t left, const MicroKernel& kernel) {
  constexpr int64_t kFewRows = 2, kManyRows = 14;  // whose kernels have a block of eight rows
  const bool has_halves = kernel.flags.Has(CpuFlag::kAvx512Vnni) && kernel.tile_rows == kManyRows;
  const bool leaves_few = left > kernel.tile_rows && left <= kernel.tile_rows + kFewRows;
  return has_halves && leaves_few ? (left + 1) / 2 : std::min<int64_t>(kernel.tile_rows, left);
}

// The work of a kernel: the rows of all tiles, those that go nowhere too, times K.
int64_t WorkOf(const GemmPlan& plan) {
  return std::ssize(plan.tiles) * std::ssize(plan.segments) * plan.k_groups_per_segment;
}

}  // namespace

ConvolutionPlan PlanConvolution(const ConvolutionShape& s, const MicroKernel& kernel, bool x_in_planes,
                                bool x_is_element) {
  const PackedForm form = FormOf(s, kernel);
  ConvolutionPlan plan = PlanForm(s, kernel, form, x_in_planes, x_is_element);
  // Where lines are short, many rows are of pixels between them. Packing then writes x for each column of the
  // kernel, which many columns of y outweigh.
  constexpr int64_t kManyColumns = 128;
  if (form != PackedForm::kPhases || plan.in_place || s.kernel[2] == 1 || s.input_dilation[2] > 1 ||
      s.group_out_channels() < kManyColumns) {
    return plan;
  }
  ConvolutionPlan by_columns = PlanForm(s, kernel, PackedForm::kColumns, x_in_planes, false);
  return 10 * WorkOf(by_columns.plan) <= 9 * WorkOf(plan.plan) ? by_columns : plan;
}

int64_t CopiedOverread(const GemmPlan& plan) { return plan.k_groups_per_segment * kKGroup - plan.row_stride; }

GemmPlan PlanMatrix(int64_t rows, int64_t depth, int64_t columns, const MicroKernel& kernel) {
  GemmPlan plan;
  plan.row_stride = depth * SizeBytes(kernel.element);
  plan.segments = {0};
  plan.terms.emplace_back(depth);
  std::iota(plan.terms.front().begin(), plan.terms.front().end(), 0);
  for (int64_t row = 0; row < rows;) {
    const int64_t count = RowsOfTile(rows - row, kernel);
    plan.tiles.push_back({row * plan.row_stride, static_cast<int32_t>(count)});
    for (int64_t r = 0; r < kernel.tile_rows; ++r) plan.rows.push_back(r < count ? (row + r) * columns : -1);
    row += count;
  }
  FinishPlan(kernel, rows * plan.row_stride, plan);
  return plan;
}

}  // namespace tally
