// Copies x into the staged image that a block kernel reads (ops/linear/packed/rows.h).
#pragma once

#include <cstdint>

#include "base/storage.h"
#include "ops/linear/packed/rows.h"

namespace tally {

struct StageCall {
  const ConvolutionShape* shape = nullptr;
  const StagedImage* image = nullptr;
  const uint8_t* x = nullptr;
  Storage storage = Storage::kI8;
  bool channels_last = false;  // x is [N, spatial.., C], else [N, C, spatial..]
  int64_t base = 0;            // taken from every element, so that it fits the image's
  int64_t zero = 0;            // the element of x that stands outside
  uint8_t* staged = nullptr;
  int64_t line_begin = 0;  // of StagedLines(): this thread's
  int64_t line_end = 0;
};

// Lines of all images of the batch and all groups.
int64_t StagedLines(const ConvolutionShape& shape, const StagedImage& image);

void Stage(const StageCall& call) noexcept;

// `count` elements as a kernel's: converted and biased.
void StageElements(const uint8_t* x, Storage storage, int64_t base, int64_t count, Element element,
                   uint8_t* staged) noexcept;

// `count` elements of one value, before the bias of kBiasedS8.
void FillElements(Element element, int64_t value, int64_t count, uint8_t* staged) noexcept;

}  // namespace tally
