#include "quant/calibrate/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

std::string WithValues(const std::string& values) {
  return R"({"format":"tally-calibration","version":1,"num_samples":2,"values":)" + values + "}";
}

std::string LabelOf(const std::string& text) { return ErrorLabel(CalibrationFromJson(text).status()); }

// One value x of 5 elements, and this histogram.
std::string WithHistogram(const std::string& histogram) {
  return R"({"format":"tally-calibration","version":2,"num_samples":2,"values":{"x":{"count":5,"max":1,"min":0}},)"
         R"("means":{},"wide":[],"histograms":)" +
         histogram + "}";
}

TEST(CalibrationJson, WritesWhatTheHeaderShows) {
  const Calibration calibration{200,
                                {{"conv1", {-3.5f, 4.25f, 3200}}},
                                {{"conv1", {-7, 200, -448, {1, 0, 0, 0, 2999}}}},
                                {{"conv1", {0.5f, -1}}},
                                {.values = {"conv1"}, .products = {}, .weights = {}}};
  EXPECT_EQ(
      ToJson(calibration),
      "{\n \"format\": \"tally-calibration\",\n \"histograms\": {\n  \"conv1\": {\n   \"counts\": \"1 0*3 "
      "2999\",\n"
      "   \"exponent\": -7,\n   \"first\": -448,\n   \"zeros\": 200\n  }\n },\n"
      " \"means\": {\n  \"conv1\": \"0.5 -1\"\n },\n \"num_samples\": 200,\n \"values\": {\n  \"conv1\": {\n"
      "   \"count\": 3200,\n   \"max\": 4.25,\n   \"min\": -3.5\n  }\n },\n \"version\": 2,\n \"wide\": [\n  "
      "\"conv1\"\n ]\n}\n");
  EXPECT_EQ(*CalibrationFromJson(ToJson(calibration)), calibration);
}

TEST(CalibrationJson, NamesWhatTakes16Bits) {
  Calibration calibration{200, {{"conv1", {-3.5f, 4.25f, 3200}}, {"conv2", {0, 1, 10}}}};
  EXPECT_EQ(ToJson(calibration).find("wide_"), std::string::npos);
  for (const Widths& widths :
       {Widths{{"conv1"}, {}, {}}, Widths{{}, {"conv2"}, {}}, Widths{{}, {}, {"conv1", "conv2"}}}) {
    calibration.widths = widths;
    EXPECT_EQ(*CalibrationFromJson(ToJson(calibration)), calibration);
  }
}

TEST(CalibrationJson, VersionOneHasRangesAlone) {
  const auto read = CalibrationFromJson(WithValues(R"({"x":{"count":5,"max":1,"min":0}})"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (Calibration{2, {{"x", {0, 1, 5}}}}));
}

TEST(CalibrationJson, CalibrationFormat_OtherHistogramsAndMeansAreRefused) {
  const auto with = [](const std::string& members) {
    return LabelOf(WithHistogram("{\"x\":{" + members + "}}"));
  };
  EXPECT_EQ(with(R"("counts":"2 0 1","exponent":0,"first":1021,"zeros":2)"), "");
  for (const char* members : {R"("counts":"2 0 1","exponent":0,"first":1021)",
                              R"("counts":"2 0 1","exponent":0,"first":1022,"zeros":2)",
                              R"("counts":"2 0 1","exponent":0,"first":-1025,"zeros":2)",
                              R"("counts":"2 0 1","exponent":119,"first":0,"zeros":2)",
                              R"("counts":"2 0 1","exponent":-159,"first":0,"zeros":2)",
                              R"("counts":"6 0 -1","exponent":0,"first":0,"zeros":0)",
                              R"("counts":[2,0,1],"exponent":0,"first":0,"zeros":2)",
                              R"("counts":"2 0 1","exponent":0,"first":18446744073709551615,"zeros":2)",
                              R"("counts":"2 0 1","exponent":0,"first":0,"zeros":-1)"}) {
    EXPECT_EQ(with(members), "calibration_format") << members;
  }
  std::string text = WithHistogram("{}");
  const size_t means = text.find("\"means\":{}");
  const auto with_means = [&](const std::string& of) {
    return LabelOf(std::string(text).replace(means, 10, "\"means\":" + of));
  };
  EXPECT_EQ(with_means(R"({"x":"1 2"})"), "");
  for (const char* of : {"[]", R"({"x":"nan"})", R"({"x":[1]})"})
    EXPECT_EQ(with_means(of), "calibration_format") << of;
  const size_t wide = text.find("\"wide\":[]");
  const auto with_wide = [&](const std::string& of) {
    return LabelOf(std::string(text).replace(wide, 9, "\"wide\":" + of));
  };
  EXPECT_EQ(with_wide(R"(["x"])"), "");
  for (const char* key : {"wide_products", "wide_weights"}) {
    const auto with = [&](const std::string& of) {
      return with_wide(std::string("[],\"") + key + "\":" + of);
    };
    EXPECT_EQ(with(R"(["x"])"), "");
    for (const char* of : {"{}", R"(["y"])", "[1]", R"("x")"})
      EXPECT_EQ(with(of), "calibration_format") << key << of;
  }
  for (const char* of : {"{}", R"(["y"])", "[1]", R"("x")"})
    EXPECT_EQ(with_wide(of), "calibration_format") << of;
  const auto with_exponents = [&](const std::string& of) { return with_wide("[],\"exponents\":" + of); };
  for (const char* of : {"{}", R"({"y":"1 -2 0"})", R"({"y":"32","z":"-32"})"}) {
    EXPECT_EQ(with_exponents(of), "") << of;
  }
  for (const char* of : {"[]", R"({"y":1})", R"({"y":"0.5"})", R"({"y":"33"})", R"({"y":"-33"})",
                         R"({"y":"1e30"})", R"({"y":"nan"})", R"({"y":"1 x"})"}) {
    EXPECT_EQ(with_exponents(of), "calibration_format") << of;
  }
}

TEST(CalibrationJson, ExponentsOfChannelsAreKept) {
  Calibration calibration = {.num_samples = 2, .values = {{"x", {0, 1, 5}}}};
  EXPECT_EQ(ToJson(calibration).find("exponents"), std::string::npos);
  calibration.exponents = {{"conv1", {0, -3, 7}}, {"conv2", {1}}};
  const auto read = CalibrationFromJson(ToJson(calibration));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, calibration);
}

TEST(CalibrationJson, CalibrationHistogram_OneOfOtherElementsIsRefused) {
  EXPECT_EQ(LabelOf(WithHistogram(R"({"x":{"counts":"2 0 1","exponent":0,"first":0,"zeros":3}})")),
            "calibration_histogram");
  EXPECT_EQ(LabelOf(WithHistogram(R"({"y":{"counts":"2 0 1","exponent":0,"first":0,"zeros":2}})")),
            "calibration_histogram");
  const std::string overflowing =
      R"({"x":{"counts":"9223372036854775807*2 7","exponent":0,"first":0,"zeros":0}})";
  EXPECT_EQ(LabelOf(WithHistogram(overflowing)), "calibration_histogram");
}

TEST(CalibrationJson, CalibrationJson_ManyShortHistogramsThatFillMemoryAreRefused) {
  std::string values, histograms;
  for (size_t i = 0; i <= kMaxCalibrationBytes / 2048; ++i) {
    const std::string name = (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":";
    values += name + R"({"count":2048,"max":1,"min":0})";
    histograms += name + R"({"counts":"1*2048","exponent":0,"first":-1024,"zeros":0})";
  }
  EXPECT_EQ(
      LabelOf(R"({"format":"tally-calibration","version":2,"num_samples":2,"means":{},"wide":[],"values":{)" +
              values + R"(},"histograms":{)" + histograms + "}}"),
      "calibration_json");
}

// One limit for who writes a file and who reads it.
TEST(CalibrationJson, CalibrationJson_WhatIsWrittenIsRead) {
  Calibration calibration{.num_samples = 2};
  const auto add = [&](int64_t i) {
    calibration.values[std::to_string(i)] = {0, 1, 2048};
    calibration.histograms[std::to_string(i)] = {
        .exponent = 0, .zeros = 0, .first = -1024, .counts = std::vector<int64_t>(2048, 1)};
  };
  const auto bins = static_cast<int64_t>(kMaxCalibrationBytes);
  for (int64_t i = 0; i < bins / 2048 / 16; ++i) add(i);
  const auto text = ToFileText(calibration);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto read = CalibrationFromJson(*text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, calibration);
  for (int64_t i = 0; i <= bins / 2048; ++i) add(i);
  EXPECT_EQ(ErrorLabel(ToFileText(calibration).status()), "calibration_json");
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
  for (const char* value :
       {"1", "{}", R"({"count":1,"max":1})", R"({"count":1,"max":1,"min":0,"x":0})",
        R"({"count":0,"max":1,"min":0})", R"({"count":1.0,"max":1,"min":0})",
        R"({"count":18446744073709551615,"max":1,"min":0})", R"({"count":1,"max":"1","min":0})",
        R"({"count":1,"max":1,"min":null})", R"({"count":1,"max":1,"min":0,"reach_max":2})",
        R"({"count":1,"max":1,"min":0,"reach_min":0})"}) {
    EXPECT_EQ(LabelOf(WithValues(std::string(R"({"x":)") + value + "}")), "calibration_format") << value;
  }
}

TEST(CalibrationJson, AReachIsKept) {
  Calibration calibration{3, {{"x", {-1, 2, 6, Reach{-1.5f, 2.25f}}}, {"y", {0, 1, 6}}}};
  const auto read = CalibrationFromJson(ToJson(calibration));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, calibration);
}

TEST(CalibrationJson, CalibrationRange_MinAboveMaxIsRefused) {
  EXPECT_EQ(LabelOf(WithValues(R"({"x":{"count":1,"max":1,"min":1.5}})")), "calibration_range");
  for (const char* reach : {R"("reach_max":0.5,"reach_min":0)", R"("reach_max":2,"reach_min":0.5)"}) {
    EXPECT_EQ(LabelOf(WithValues(std::string(R"({"x":{"count":1,"max":1,"min":0,)") + reach + "}}")),
              "calibration_range");
  }
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
