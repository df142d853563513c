// Depthwise convolutions whose strides pass most of x by, for which kernels of 16 bits pack what their
// windows read alone: against the reference, on every level of instructions that this machine has.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/cpu_flags.h"
#include "base/strings.h"
#include "base/testing/random_source.h"
#include "engines/engine.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

struct Axis {
  int64_t size, kernel, stride, dilation, pad_begin, pad_end;
};

std::string Pair(int64_t y, int64_t x) { return absl::StrCat("[", y, ",", x, "]"); }

std::shared_ptr<const ValidModule> Depthwise(int64_t channels, const Axis& y, const Axis& x,
                                             std::string_view interval, int64_t zero, RandomSource& source) {
  std::string weights;
  for (int64_t i = 0; i < channels * y.kernel * x.kernel; ++i) {
    absl::StrAppend(&weights, i == 0 ? "" : ",", source.Between(-128, 127));
  }
  auto module = Assemble(absl::StrCat(
      "tally 1\nprofile core\nparam %0 \"x\" [2,", channels, ",", y.size, ",", x.size, "] in ",
      ToAbsl(interval), "\n%1 = constant i8 [", channels, ",1,", y.kernel, ",", x.kernel, "] {", weights,
      "}\n%2 = convolution %0, %1 {stride = ", Pair(y.stride, x.stride),
      ", dilation = ", Pair(y.dilation, x.dilation), ", pad_begin = ", Pair(y.pad_begin, x.pad_begin),
      ", pad_end = ", Pair(y.pad_end, x.pad_end), ", groups = ", channels, ", zero_x = ", zero,
      ", zero_w = 0}\nresult %2 \"y\"\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

void ExpectEqual(const std::shared_ptr<const ValidModule>& module, RandomSource& source, bool* packs) {
  const TensorType& type = module->entry().params[0];
  const Tensor input =
      *Tensor::FromValues(type.shape, source.ValuesOrEnds(type.shape.num_elements(), type.interval, 4));
  const TensorView inputs[] = {input.view()};
  const auto expected = (*MakePlan("reference", module))->Execute(inputs, {});
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    for (const int threads : {1, 3}) {
      const auto plan = *MakePlan("cpu", module, {.threads = threads, .level = level});
      for (const std::string& kernel : plan->kernels()) *packs |= kernel == "pack_read";
      const auto actual = plan->Execute(inputs, {});
      ASSERT_TRUE(actual.ok()) << actual.status();
      EXPECT_TRUE(SameValues(actual->results[0].view(), expected->results[0].view()))
          << level << " " << threads;
    }
  }
}

TEST(StridedDepthwise, EqualsTheReferenceOnEveryLevel) {
  RandomSource source(20261125);
  bool packs = false;
  // Strides longer than kernels along both axes, along one, with dilation, with padding on either side, and
  // shorter ones beside.
  const Axis axes[] = {{33, 1, 16, 1, 0, 0}, {40, 3, 13, 1, 1, 0}, {40, 2, 19, 5, 0, 7},
                       {21, 3, 7, 2, 4, 4},  {9, 3, 1, 1, 1, 1},   {30, 2, 9, 1, 3, 0}};
  for (const Axis& y : axes) {
    for (const Axis& x : axes) {
      for (const int64_t channels : {2, 17, 64}) {
        const bool wide = source.OneIn(2);
        const std::string_view interval = wide ? "[-32768, 32767]" : "[-128, 127]";
        ExpectEqual(Depthwise(channels, y, x, interval, source.Between(-5, 5), source), source, &packs);
      }
    }
  }
  EXPECT_TRUE(packs);
}

}  // namespace
}  // namespace tally
