#include "ops/cpu/gemm/depthwise_layouts.h"

#include <algorithm>

namespace tally {
namespace {

std::vector<int64_t> SlotsOfSixteens(const DepthwiseShape& s) {
  std::vector<int64_t> slots(RoundUp(s.channels, kVectorColumns), -1);
  for (int64_t c = 0; c < s.channels; ++c) slots[c] = c;
  return slots;
}

AlignedVector<uint8_t> PackSixteens(const DepthwiseShape& s, std::span<const int16_t> weights) {
  AlignedVector<uint8_t> packed(RoundUp(s.channels, kVectorColumns) * s.taps() * 2);
  for (int64_t c = 0; c < s.channels; ++c) {
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      const int64_t index = (c / kVectorColumns * s.taps() + tap) * kVectorColumns + c % kVectorColumns;
      StoreElement(Storage::kI16, packed.data(), index, weights[c * s.taps() + tap]);
    }
  }
  return packed;
}

// The way of a byte: lane i of vector j holds channels 16 i + 4 j of a pixel on.
std::vector<int64_t> SlotsOfFourLines(const DepthwiseShape& s) {
  std::vector<int64_t> slots;
  for (int64_t b = 0; b < s.blocks(); ++b) {
    const auto block = FourLinesBlock::At(s.channels, b);
    for (int64_t slot = 0; slot < FourLinesBlock::kBytes; ++slot) {
      const int64_t vector = slot / kVectorColumns, lane = slot % kVectorColumns / 4;
      const int64_t channel = lane * 16 % block.width + vector * 4 + slot % 4;
      slots.push_back(channel < block.count ? block.first + channel : -1);
    }
  }
  return slots;
}

AlignedVector<uint8_t> PackFourLines(const DepthwiseShape& s, std::span<const int16_t> weights) {
  const std::vector<int64_t> slots = SlotsOfFourLines(s);
  const int64_t fours = CeilDiv<int64_t>(s.kernel_lines, 4), at_once = LinesAtOnce(s);
  AlignedVector<uint8_t> packed(slots.size() * at_once * fours * s.kernel_columns * 4);
  for (int64_t slot = 0; slot < static_cast<int64_t>(slots.size()); ++slot) {
    if (slots[slot] < 0) continue;
    const int64_t block = slot / FourLinesBlock::kBytes, in_block = slot % FourLinesBlock::kBytes;
    for (int64_t i = 0; i < at_once * s.taps(); ++i) {
      const int64_t y_line = i / s.taps(), tap = i % s.taps();
      const int64_t line = tap / s.kernel_columns + y_line * s.stride_lines, column = tap % s.kernel_columns;
      const int64_t four = (block * at_once + y_line) * fours + line / 4;
      const int64_t position = four * s.kernel_columns + column;
      StoreElement(Storage::kI8, packed.data(), (position * FourLinesBlock::kBytes + in_block) * 4 + line % 4,
                   weights[slots[slot] * s.taps() + tap]);
    }
  }
  return packed;
}

int64_t ScratchOfFourLines(const DepthwiseShape& s) {
  int64_t bytes = 0;
  for (int64_t b = 0; b < s.blocks(); ++b) {
    bytes = std::max(bytes, FourLinesScratch(s, FourLinesBlock::At(s.channels, b)).bytes());
  }
  return bytes;
}

}  // namespace

const DepthwiseLayout kSixteens = {SlotsOfSixteens, PackSixteens,
                                   [](const DepthwiseShape&) { return int64_t{0}; }};

const DepthwiseLayout kFourLines = {SlotsOfFourLines, PackFourLines, ScratchOfFourLines};

}  // namespace tally
