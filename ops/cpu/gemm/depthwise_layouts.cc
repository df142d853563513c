#include "ops/cpu/gemm/depthwise_layouts.h"

#include <algorithm>
#include <numeric>

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

// Two taps of `vector` channels of 16 bits, which unpacking pairs.
template <int64_t vector>
struct TapPairsOf {
  static std::vector<int64_t> Slots(const DepthwiseShape& s) {
    std::vector<int64_t> slots(RoundUp(s.channels, vector), -1);
    std::iota(slots.begin(), slots.begin() + s.channels, 0);
    return slots;
  }

  // Lanes of the two vectors of words as channels.
  static int64_t ChannelOfLane(int64_t half, int64_t lane) { return lane / 4 * 8 + half * 4 + lane % 4; }

  static AlignedVector<uint8_t> Pack(const DepthwiseShape& s, std::span<const int16_t> weights) {
    const int64_t pairs = CeilDiv<int64_t>(s.taps(), 2);
    AlignedVector<uint8_t> packed(RoundUp(s.channels, vector) * pairs * 4);
    for (int64_t first = 0; first < s.channels; first += vector) {
      for (int64_t i = 0; i < vector; ++i) {
        const int64_t c = first + ChannelOfLane(i / (vector / 2), i % (vector / 2));
        for (int64_t tap = 0; tap < s.taps() && c < s.channels; ++tap) {
          const int64_t pair = first / vector * pairs + tap / 2;
          StoreElement(Storage::kI16, packed.data(), (pair * vector + i) * 2 + tap % 2,
                       weights[c * s.taps() + tap]);
        }
      }
    }
    return packed;
  }
};

template <int64_t vector>
constexpr DepthwiseLayout kTapPairsOf = {TapPairsOf<vector>::Slots, TapPairsOf<vector>::Pack,
                                         TapPairsScratch::Bytes};

// Vectors of `bytes` bytes, whose weights are of 16 bits if `widened`.
template <int64_t bytes, bool widened>
struct FourLines {
  static constexpr int64_t kLanes = bytes / 4;

  // The way of a byte: 128-bit lane i of vector j holds channels 16 i + 4 j of a pixel on.
  static std::vector<int64_t> Slots(const DepthwiseShape& s) {
    std::vector<int64_t> slots;
    for (int64_t b = 0; b < CeilDiv(s.channels, bytes); ++b) {
      const auto block = FourLinesBlock::At(s.channels, b, bytes);
      for (int64_t slot = 0; slot < bytes; ++slot) {
        const int64_t vector = slot / kLanes, lane = slot % kLanes / 4;
        const int64_t channel = lane * 16 % block.width + vector * 4 + slot % 4;
        slots.push_back(channel < block.count ? block.first + channel : -1);
      }
    }
    return slots;
  }

  static AlignedVector<uint8_t> Pack(const DepthwiseShape& s, std::span<const int16_t> weights) {
    const std::vector<int64_t> slots = Slots(s);
    const int64_t fours = CeilDiv<int64_t>(s.kernel_lines, 4), at_once = LinesAtOnce(s);
    AlignedVector<uint8_t> packed(slots.size() * at_once * fours * s.kernel_columns * 4 * (widened ? 2 : 1));
    for (int64_t slot = 0; slot < static_cast<int64_t>(slots.size()); ++slot) {
      if (slots[slot] < 0) continue;
      const int64_t block = slot / bytes, vector = slot % bytes / kLanes, lane = slot % kLanes;
      for (int64_t i = 0; i < at_once * s.taps(); ++i) {
        const int64_t y_line = i / s.taps(), tap = i % s.taps();
        const int64_t line = tap / s.kernel_columns + y_line * s.stride_lines,
                      column = tap % s.kernel_columns;
        const int64_t four = (block * at_once + y_line) * fours + line / 4;
        const int64_t position = (four * s.kernel_columns + column) * 4 + vector;
        const int16_t w = weights[slots[slot] * s.taps() + tap];
        if (widened) {
          const int64_t index = (position * 2 + line % 2) * kLanes + lane;
          StoreElement(Storage::kI16, packed.data(), index * 2 + line % 4 / 2, w);
        } else {
          StoreElement(Storage::kI8, packed.data(), (position * kLanes + lane) * 4 + line % 4, w);
        }
      }
    }
    return packed;
  }

  static int64_t ScratchBytes(const DepthwiseShape& s) {
    int64_t most = 0;
    for (int64_t b = 0; b < CeilDiv(s.channels, bytes); ++b) {
      most = std::max(most, FourLinesScratch(s, FourLinesBlock::At(s.channels, b, bytes)).bytes());
    }
    return most;
  }
};

template <int64_t bytes, bool widened>
constexpr DepthwiseLayout kFourLines = {FourLines<bytes, widened>::Slots, FourLines<bytes, widened>::Pack,
                                        FourLines<bytes, widened>::ScratchBytes};

int64_t NoScratch(const DepthwiseShape&) { return 0; }

}  // namespace

const DepthwiseLayout kSixteens = {SlotsOfSixteens, PackSixteens, NoScratch};
const DepthwiseLayout kTapPairs16 = kTapPairsOf<8>;
const DepthwiseLayout kTapPairs32 = kTapPairsOf<16>;
const DepthwiseLayout kTapPairs64 = kTapPairsOf<32>;
const DepthwiseLayout kFourLines32 = kFourLines<32, false>;
const DepthwiseLayout kFourLines64 = kFourLines<64, false>;
const DepthwiseLayout kFourLines32Widened = kFourLines<32, true>;
const DepthwiseLayout kFourLines64Widened = kFourLines<64, true>;

}  // namespace tally
