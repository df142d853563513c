// Copies x into the packed image that a micro-kernel reads (ops/cpu/gemm/gemm_plan.h).
#pragma once

#include <cstdint>

#include "base/storage.h"
#include "ops/cpu/gemm/gemm_plan.h"

namespace tally {

struct PackActivationArgs {
  const ConvolutionShape* shape = nullptr;
  const PackedImage* image = nullptr;
  const uint8_t* x = nullptr;
  Storage storage = Storage::kI8;
  bool channels_last = false;  // x is [N, spatial.., C], else [N, C, spatial..]
  int64_t base = 0;            // taken from every element, so that it fits the image's
  int64_t zero = 0;            // the element of x that is outside
  uint8_t* packed_x = nullptr;
  int64_t line_begin = 0;  // this thread's part of PackedLines()
  int64_t line_end = 0;
};

// Lines of all images of the batch and all groups.
int64_t PackedLines(const ConvolutionShape& shape, const PackedImage& image);

void PackActivation(const PackActivationArgs& call) noexcept;

// `count` elements as a kernel's: converted and biased.
void PackElements(const uint8_t* x, Storage storage, int64_t base, int64_t count, Element element,
                  uint8_t* packed_x) noexcept;

// `count` elements of one value, before the bias of kBiasedS8.
void FillElements(Element element, int64_t value, int64_t count, uint8_t* packed_x) noexcept;

}  // namespace tally
