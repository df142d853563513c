// The two files of a model, its layers as text and their weights, as one, for the corpus of a fuzzer: the
// length of the text in two bytes, the text, and the weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tally::frontend {

// `text` has less than 64 kB.
inline std::vector<uint8_t> JoinFiles(const std::string& text, const std::vector<uint8_t>& weights) {
  std::vector<uint8_t> joined = {static_cast<uint8_t>(text.size()), static_cast<uint8_t>(text.size() >> 8)};
  joined.insert(joined.end(), text.begin(), text.end());
  joined.insert(joined.end(), weights.begin(), weights.end());
  return joined;
}

struct TwoFiles {
  std::span<const uint8_t> text, weights;
};

// For any bytes; a length beyond their end is cut there.
inline TwoFiles PartFiles(std::span<const uint8_t> joined) {
  if (joined.size() < 2) return {.text = joined, .weights = {}};
  const auto rest = joined.subspan(2);
  const size_t size = std::min<size_t>(joined[0] | joined[1] << 8, rest.size());
  return {.text = rest.first(size), .weights = rest.subspan(size)};
}

}  // namespace tally::frontend
