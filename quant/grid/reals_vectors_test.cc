// The codes of reals against an independent implementation (conformance/oracle/reals.py).
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "quant/grid/quantized_type.h"

namespace tally::quant {
namespace {

TEST(RealsVectors, HaveTheCodesOfTheSpecification) {
  std::ifstream file("quant/grid/vectors/reals.json");
  const auto document = nlohmann::json::parse(file);
  int64_t compared = 0;
  for (const auto& grid : document["grids"]) {
    QuantizedType type = FromMetadata({.zero_point = grid["zero_point"].get<int64_t>(),
                                       .multiplier = grid["multiplier"].get<int64_t>(),
                                       .shift = grid["shift"].get<int64_t>()});
    type.interval = {grid["interval"][0].get<int64_t>(), grid["interval"][1].get<int64_t>()};
    for (const auto& [bits, code] : grid["codes"].get<std::vector<std::pair<std::string, int64_t>>>()) {
      const float real = std::bit_cast<float>(static_cast<uint32_t>(std::stoul(bits, nullptr, 16)));
      EXPECT_EQ(type.Quantize(real), code) << bits << " of " << grid["multiplier"] << " " << grid["shift"];
      ++compared;
    }
  }
  EXPECT_GT(compared, 700);
}

}  // namespace
}  // namespace tally::quant
