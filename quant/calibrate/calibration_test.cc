#include "quant/calibrate/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

std::string WithValues(const std::string& values) {
  return R"({"format":"tally-calibration","version":1,"num_samples":2,"values":)" + values + "}";
}

std::string LabelOf(const std::string& text) { return ErrorLabel(CalibrationFromJson(text).status()); }

TEST(CalibrationJson, WritesWhatTheHeaderShows) {
  const Calibration calibration{200, {{"conv1", {-3.5f, 4.25f, 3200}}}};
  EXPECT_EQ(ToJson(calibration),
            "{\n \"format\": \"tally-calibration\",\n \"num_samples\": 200,\n \"values\": {\n  \"conv1\": {\n"
            "   \"count\": 3200,\n   \"max\": 4.25,\n   \"min\": -3.5\n  }\n },\n \"version\": 1\n}\n");
}

TEST(CalibrationJson, EveryFloatReadsBackAsItself) {
  const float largest = std::numeric_limits<float>::max();
  Calibration calibration{1,
                          {{"edges", {-largest, largest, 1}},
                           {"small", {-0.0f, std::numeric_limits<float>::denorm_min(), 1}},
                           {"a \"quoted\" \\ name", {0.1f, 16777217.0f, int64_t{1} << 62}}}};
  uint32_t bits = 1;
  for (int i = 0; i < 2000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) calibration.values["v" + std::to_string(i)] = {value, value, i + 1};
  }
  const auto read = CalibrationFromJson(ToJson(calibration));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, calibration);
  EXPECT_TRUE(std::signbit(read->values.at("small").min));
  EXPECT_EQ(ToJson(*read), ToJson(calibration));
}

TEST(CalibrationJson, CalibrationJson_OtherTextIsRefused) {
  for (const char* text : {"", "{", "nonsense", "\xff"}) EXPECT_EQ(LabelOf(text), "calibration_json") << text;
  EXPECT_EQ(LabelOf(WithValues(R"({"x":{"count":1,"max":1e39,"min":0}})")), "calibration_json");
  const std::string longest = WithValues("{}");
  EXPECT_EQ(LabelOf(longest + std::string(kMaxCalibrationBytes - longest.size(), ' ')), "");
  EXPECT_EQ(LabelOf(longest + std::string(kMaxCalibrationBytes - longest.size() + 1, ' ')),
            "calibration_json");
}

TEST(CalibrationJson, CalibrationFormat_OtherMembersAreRefused) {
  EXPECT_EQ(LabelOf(WithValues(R"({"x":{"count":1,"max":1,"min":0}})")), "");
  for (const char* text : {"[]", "{}", R"({"format":"tally-calibration","version":1,"num_samples":2,"x":{}})",
                           R"({"format":"other","version":1,"num_samples":2,"values":{}})",
                           R"({"format":"tally-calibration","version":2,"num_samples":2,"values":{}})",
                           R"({"format":"tally-calibration","version":1,"num_samples":0,"values":{}})",
                           R"({"format":"tally-calibration","version":1,"num_samples":1.5,"values":{}})",
                           R"({"format":"tally-calibration","version":1,"num_samples":1,"values":[]})"}) {
    EXPECT_EQ(LabelOf(text), "calibration_format") << text;
  }
  for (const char* value : {"1", "{}", R"({"count":1,"max":1})", R"({"count":1,"max":1,"min":0,"x":0})",
                            R"({"count":0,"max":1,"min":0})", R"({"count":1.0,"max":1,"min":0})",
                            R"({"count":18446744073709551615,"max":1,"min":0})",
                            R"({"count":1,"max":"1","min":0})", R"({"count":1,"max":1,"min":null})"}) {
    EXPECT_EQ(LabelOf(WithValues(std::string(R"({"x":)") + value + "}")), "calibration_format") << value;
  }
}

TEST(CalibrationJson, CalibrationRange_MinAboveMaxIsRefused) {
  EXPECT_EQ(LabelOf(WithValues(R"({"x":{"count":1,"max":1,"min":1.5}})")), "calibration_range");
}

TEST(RangeOf, KnowsCalibratedValuesAndConstants) {
  GraphBuilder builder("g");
  const ValueId x = *builder.AddInput("x", {3});
  const ValueId c = *builder.AddConstant("c", FloatTensor{{3}, {5, -7, 1}});
  const ValueId y = *builder.AddNode(Add{}, {x, c}, "y", "add");
  builder.AddOutput(y);
  const Graph graph = *std::move(builder).Build();
  const Calibration calibration{1, {{"x", {-1, 1, 3}}}};
  EXPECT_EQ(*RangeOf(calibration, graph, x), (Range{-1, 1, 3}));
  EXPECT_EQ(*RangeOf(calibration, graph, c), (Range{-7, 5, 3}));
  EXPECT_EQ(ErrorLabel(RangeOf(calibration, graph, y).status()), "calibration_missing");
}

}  // namespace
}  // namespace tally::quant
