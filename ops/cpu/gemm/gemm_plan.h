// Where the operands of each row of a GEMM are: of a matrix, or of a convolution over a packed image.
//
// A convolution reads an image in which positions outside x are there (with x's zero point), and which is
// split into phases: phase (pd, ph, pw) holds the positions whose coordinates leave those remainders by the
// strides. In a phase every tap of the kernel is at one distance from every pixel, so that consecutive pixels
// are consecutive rows. Pixels that belong to no result, at the ends of the lines, are computed and not
// stored.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/gemm/convolution_shape.h"

namespace tally {

// The packed image of one element of the batch and one group: [phases][size..][channels].
//
// What one row reads of some lines of an image of few channels is side by side instead, so that it fills a
// matrix unit: pixel (h, w) has `window_lines` windows of `window` elements, those of lines h * stride + 0,
// 1, .. from column w * stride on; or as many for each plane, where the channels of x are in planes. Then
// `channels` are all of a pixel's elements and there is one phase.
struct PackedImage {
  Element element = Element::kS8;
  int64_t channels = 1;  // a pixel's: those of the group
  std::array<int64_t, 3> phase_stride = {1, 1, 1};
  std::array<int64_t, 3> size = {1, 1, 1};     // a phase's
  std::vector<std::array<int64_t, 3>> phases;  // those that a tap reads
  int64_t window = 0;                          // 0: pixels are pixels of x
  int64_t window_lines = 0;
  int64_t window_planes = 1;

  int64_t pixel_bytes() const { return channels * SizeBytes(element); }
  int64_t line_bytes() const { return size[2] * pixel_bytes(); }
  int64_t phase_bytes() const { return size[0] * size[1] * line_bytes(); }
  int64_t bytes() const { return static_cast<int64_t>(phases.size()) * phase_bytes(); }
};

// The factor of element k of run r: channel `term % channels` of tap `term / channels`, or nothing where it
// is -1.
using SegmentTerms = std::vector<std::vector<int32_t>>;

struct GemmPlan {
  int64_t row_stride = 0;
  std::vector<MTile> tiles;
  std::vector<int64_t> rows;  // as GemmArgs::rows
  std::vector<int64_t> segments;
  int64_t k_groups_per_segment = 0;
  SegmentTerms terms;          // for a group's channels
  int64_t overread_bytes = 0;  // after the end of x that a kernel may read
};

// How PlanConvolution lays out a packed image.
enum class PackedForm {
  kPhases,      // split by the strides
  kColumns,     // the same, with a phase for each column of the kernel, which has the pixels of y alone
  kWholeLines,  // unsplit: a row starts `stride` pixels after the last one
  kWindows,     // PackedImage::window
};
// It says kPhases also where PlanConvolution takes kColumns, which is less work for some shapes.
PackedForm FormOf(const ConvolutionShape& shape, const MicroKernel& kernel);

// The layout of kWindows.
struct PackedWindows {
  int64_t planes = 1;
  int64_t size = 0;      // PackedImage::window
  int64_t lines = 0;     // PackedImage::window_lines
  int64_t segments = 1;  // one row's

  int64_t pixel() const { return lines * planes * size; }  // elements
};
PackedWindows WindowsOf(const ConvolutionShape& shape, bool x_in_planes);

struct ConvolutionPlan {
  PackedImage image;
  bool in_place = false;  // x is its own packed image: channels last, nothing padded, no stride
  GemmPlan plan;
};

// The plan of a convolution on `kernel`. `x_in_planes`: a plane for each channel, else channels last.
// `in_place` is possible only for x of the element's own kind, channels last.
ConvolutionPlan PlanConvolution(const ConvolutionShape& shape, const MicroKernel& kernel, bool x_in_planes,
                                bool x_is_element);

// The bytes after the end of the matrix x of `plan` that copies of its rows read (GemmArgs::x_is_signed): up
// to the end of the last K-group.
int64_t CopiedOverread(const GemmPlan& plan);

// The plan of a matrix [rows, depth] and a result [rows, columns], dense.
GemmPlan PlanMatrix(int64_t rows, int64_t depth, int64_t columns, const MicroKernel& kernel);

}  // namespace tally
