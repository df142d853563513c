// Lowered modules against the float graph they came from: family pooling.
#include <gtest/gtest.h>

#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

TEST(LowerVolumes, AreAsImages) {
  const Shape x = {2, 4, 5, 6, 7};
  const Conv conv = {{2, 1, 2}, {1, 2, 1}, {1, 0, 2, 1, 1, 0}, 2};
  EXPECT_GT(MeasureLowered(OneNode(conv, {x}, {Random({6, 2, 2, 3, 2}, 1), Random({6}, 2)})).error.sqnr_db(),
            33);
  const ConvTranspose transposed = {{2, 1, 2}, {1, 2, 1}, {1, 0, 0, 1, 1, 1}, {1, 0, 1}, 2};
  EXPECT_GT(MeasureLowered(OneNode(transposed, {x}, {Random({4, 3, 2, 3, 2}, 3)})).error.sqnr_db(), 33);
  for (const Shape& shape : {x, Shape{2, 4, 6, 7}}) {
    const int64_t deep = shape.size() == 5 ? 2 : 1;
    const Extents kernel = {3, 2, deep}, stride = {2, 1, deep}, dilation = {2, 3, 1};
    const Pads pads = {1, 1, 2, 0, deep - 1, 0};
    EXPECT_GT(MeasureLowered(OneNode(MaxPool{kernel, stride, pads, dilation}, {shape})).error.sqnr_db(), 38);
    for (const bool counts : {false, true}) {
      for (const bool ceil : {false, true}) {
        const AveragePool pool = {kernel, stride, pads, counts, dilation, ceil};
        EXPECT_GT(MeasureLowered(OneNode(pool, {shape})).error.sqnr_db(), 33);
      }
    }
  }
  EXPECT_GT(MeasureLowered(OneNode(GlobalAveragePool{}, {x})).error.sqnr_db(), 25);
}

}  // namespace
}  // namespace tally::quant
