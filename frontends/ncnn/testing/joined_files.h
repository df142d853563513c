// The two files of a model as one, for the corpus of a fuzzer: the length of the .param in two bytes, the
// .param, and the .bin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/ncnn/import_ncnn.h"

namespace tally::ncnn {

// `param` has less than 64 kB.
inline std::vector<uint8_t> JoinFiles(const std::string& param, const std::vector<uint8_t>& weights) {
  std::vector<uint8_t> joined = {static_cast<uint8_t>(param.size()), static_cast<uint8_t>(param.size() >> 8)};
  joined.insert(joined.end(), param.begin(), param.end());
  joined.insert(joined.end(), weights.begin(), weights.end());
  return joined;
}

// For any bytes; a length beyond their end is cut there.
inline NcnnFiles PartFiles(std::span<const uint8_t> joined) {
  if (joined.size() < 2) return {.param = joined, .weights = {}};
  const auto rest = joined.subspan(2);
  const size_t size = std::min<size_t>(joined[0] | joined[1] << 8, rest.size());
  return {.param = rest.first(size), .weights = rest.subspan(size)};
}

}  // namespace tally::ncnn
