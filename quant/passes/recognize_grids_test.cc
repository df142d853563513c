#include "quant/passes/recognize_grids.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

struct Style {
  bool divides = false;
  float zero = 0;
  float low = -128, high = 127;
  float back = 0.02f;  // the scale of the last product
  float taken = 0;     // the zero point taken off, less the one added
  bool shows_codes = false;
};

Graph Written(const Style& style) {
  GraphBuilder b("grid");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const auto constant = [&](float number) { return *b.AddConstant("c", FloatTensor{{}, {number}}); };
  const ValueId x = *b.AddInput("x", {64});
  ValueId code = style.divides ? add(Div{}, {x, constant(0.02f)}) : add(Mul{}, {x, constant(50)});
  code = add(Unary{RecipeFunction::kRoundHalfEven}, {code});
  if (style.zero != 0) code = add(Add{}, {code, constant(style.zero)});
  code = add(Clip{style.low, style.high}, {code});
  const ValueId clipped = code;
  if (style.zero != 0) code = add(Sub{}, {code, constant(style.zero + style.taken)});
  b.AddOutput(add(Mul{}, {code, constant(style.back)}), "y");
  if (style.shows_codes) b.AddOutput(clipped, "codes");
  return *std::move(b).Build();
}

// The ops that are left, after it was seen that they compute the same, at the ends of the grid too. No
// element is next to a tie, which the rounding of a float product decides.
std::string Recognized(const Style& style) {
  const Graph before = Written(style);
  const auto after = RecognizeGrids(before);
  EXPECT_TRUE(after.ok() && Verify(*after).ok());
  FloatTensor x{{64}, {}};
  for (int i = 0; i < 64; ++i) x.data.push_back(static_cast<float>(i - 32) * 0.1137f);
  const std::vector<FloatTensor> samples = {x};
  const auto a = std::get<FloatTensor>((*RunGraph(before, samples))[0]);
  const auto b = std::get<FloatTensor>((*RunGraph(*after, samples))[0]);
  for (size_t i = 0; i < a.data.size(); ++i) EXPECT_NEAR(a.data[i], b.data[i], 1e-5) << i;
  return OpsOf(*after);
}

TEST(RecognizeGrids, ASignedOrUnsignedGridHoweverItIsWritten) {
  for (const bool divides : {false, true}) {
    EXPECT_EQ(Recognized({.divides = divides}), "FakeQuantize");
    EXPECT_EQ(Recognized({.divides = divides, .zero = 5}), "FakeQuantize");
    EXPECT_EQ(Recognized({.divides = divides, .zero = 128, .low = 0, .high = 255}), "FakeQuantize");
  }
  const auto after = RecognizeGrids(Written({.zero = 5}));
  const QuantizedType& grid = std::get<FakeQuantize>(after->nodes.back().op).grid;
  EXPECT_EQ(grid, (QuantizedType{0.02f, 5, {-128, 127}, Rounding::kHalfEven}));
}

TEST(RecognizeGrids, WhatIsNearlyAGridStays) {
  for (const Style& style :
       {Style{.back = 0.021f}, Style{.zero = 5, .taken = 1}, Style{.zero = 0.5f}, Style{.low = -128.5f},
        Style{.low = 3, .high = 127}, Style{.high = 1e6f}, Style{.shows_codes = true}}) {
    EXPECT_EQ(Recognized(style).find("FakeQuantize"), std::string::npos);
  }
}

}  // namespace
}  // namespace tally::quant
