// Convolutions of 3 x 3 on every level of instructions that this machine has, against the reference: those
// without VNNI compute them by Winograd's form.
#include <gtest/gtest.h>

#include <algorithm>
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

struct Layer {
  int64_t batch = 1, channels = 16, columns = 32, lines = 4, pixels = 4, pad = 1, zero = 0;
  bool scaled = false, residual = false;
};

std::string List(RandomSource& source, int64_t count, const Interval& range, int ends_one_in) {
  std::string list;
  for (const int64_t v : source.ValuesOrEnds(count, range, ends_one_in)) {
    absl::StrAppend(&list, list.empty() ? "" : ",", v);
  }
  return list;
}

std::shared_ptr<const ValidModule> ModuleOf(const Layer& l, RandomSource& source) {
  const int64_t out_lines = l.lines + 2 * l.pad - 2, out_pixels = l.pixels + 2 * l.pad - 2;
  std::string text = absl::StrCat("tally 1\nprofile core\nparam %0 \"x\" [", l.batch, ",", l.channels, ",",
                                  l.lines, ",", l.pixels, "] in [-128, 127]\n");
  int next = 1;
  const auto line = [&](const std::string& operation) {
    absl::StrAppend(&text, "%", next, " = ", operation, "\n");
    return absl::StrCat("%", next++);
  };
  std::string residual;
  if (l.residual) {
    residual = absl::StrCat("%", next++);
    absl::StrAppend(&text, "param ", residual, " \"r\" [", l.batch, ",", l.columns, ",", out_lines, ",",
                    out_pixels, "] in [-128, 127]\n");
  }
  const std::string w = line(absl::StrCat("constant i8 [", l.columns, ",", l.channels, ",3,3] {",
                                          List(source, l.columns * l.channels * 9, {-128, 127}, 3), "}"));
  const std::string bias = line(absl::StrCat("constant i32 [", l.columns, "] {100000,",
                                             List(source, l.columns - 1, {-100000, 100000}, 4), "}"));
  const std::string pad = absl::StrCat("[", l.pad, ",", l.pad, "]");
  std::string y = line(absl::StrCat("convolution %0, ", w, ", ", bias,
                                    " {stride = [1,1], dilation = [1,1], pad_begin = ", pad,
                                    ", pad_end = ", pad, ", groups = 1, zero_x = ", l.zero, ", zero_w = 0}"));
  if (l.scaled) {
    const std::string m = line(
        absl::StrCat("constant i16 [", l.columns, "] {", List(source, l.columns, {1000, 0x7fff}, 4), "}"));
    const std::string zeros =
        line(absl::StrCat("constant i8 [", l.columns, "] {", List(source, l.columns, {0, 0}, 4), "}"));
    const std::string s =
        line(absl::StrCat("constant i8 [", l.columns, "] {", List(source, l.columns, {25, 29}, 4), "}"));
    y = line(absl::StrCat("rescale ", y, ", ", m, ", ", zeros, ", ", s,
                          " {axis = 1, zero_in = 0, zero_out = 3, lo = -128, hi = 127, rounding = half_up}"));
  }
  if (l.residual) {
    y = line(absl::StrCat("lincomb ", y, ", ", residual,
                          " {multipliers = [9000, 12000], zero_points = [3, 0], bias = 0, shift = 14, "
                          "rounding = half_up, zero_out = 0, lo = -128, hi = 127}"));
  }
  absl::StrAppend(&text, "result ", y, " \"y\"\n");
  auto module = Assemble(text);
  EXPECT_TRUE(module.ok()) << module.status() << text.substr(0, 300);
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

// Whether a plan of `level` computes the layer by Winograd's form.
bool ExpectEqual(const std::shared_ptr<const ValidModule>& module, std::string_view level, int threads,
                 std::span<const TensorView> inputs, const Tensor& expected) {
  const auto plan = *MakePlan("cpu", module, {.threads = threads, .level = level});
  const auto actual = plan->Execute(inputs, {});
  EXPECT_TRUE(actual.ok()) << actual.status();
  EXPECT_TRUE(SameValues(actual->results[0].view(), expected.view()))
      << level << ", " << threads << " threads";
  return std::ranges::any_of(plan->kernels(),
                             [](const std::string& kernel) { return kernel.starts_with("winograd"); });
}

// Every level gives what the reference does; `takes_it`: those without VNNI by Winograd's form.
void ExpectEqualOnEveryLevel(const Layer& layer, RandomSource& source, bool takes_it) {
  const auto module = ModuleOf(layer, source);
  std::vector<Tensor> tensors;
  for (const TensorType& type : module->entry().params) {
    tensors.push_back(
        *Tensor::FromValues(type.shape, source.ValuesOrEnds(type.shape.num_elements(), type.interval, 3)));
  }
  std::vector<TensorView> inputs;
  for (const Tensor& tensor : tensors) inputs.push_back(tensor.view());
  const auto expected = (*MakePlan("reference", module))->Execute(inputs, {});
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    for (const int threads : {1, 3}) {
      const bool took = ExpectEqual(module, level, threads, inputs, expected->results[0]);
      EXPECT_EQ(took, takes_it && (level == "avx2" || level == "avx512")) << level;
    }
  }
}

TEST(Winograd, EqualsTheReferenceOnEveryLevel) {
  RandomSource source(20261129);
  for (int i = 0; i < 60; ++i) {
    const Layer layer = {.batch = source.Between(1, 2),
                         .channels = source.OneIn(2) ? source.Between(16, 70) : 32,
                         .columns = source.OneIn(2) ? source.Between(32, 70) : 64,
                         .lines = source.Between(6, 13),
                         .pixels = source.Between(6, 19),
                         .pad = source.Between(0, 2),
                         .zero = source.Between(-128, 127),
                         .scaled = !source.OneIn(4),
                         .residual = false};
    Layer with_residual = layer;
    with_residual.residual = layer.scaled && source.OneIn(2);
    ExpectEqualOnEveryLevel(with_residual, source, /*takes_it=*/true);
    ASSERT_FALSE(HasFailure()) << "layer " << i;
  }
}

// More tiles than a band has, in more parts than one, and so deep that four times a sum nearly fills 32 bits.
TEST(Winograd, EqualsTheReferenceInBandsAndAtItsDepth) {
  RandomSource source(1);
  ExpectEqualOnEveryLevel({.channels = 64, .columns = 64, .lines = 61, .pixels = 40, .scaled = true}, source,
                          true);
  ExpectEqualOnEveryLevel({.channels = 1820, .columns = 32, .lines = 17, .pixels = 14}, source, true);
  ExpectEqualOnEveryLevel({.channels = 1821, .columns = 32, .lines = 17, .pixels = 14}, source, false);
}

TEST(Winograd, LeavesSmallLayersToTheDirectForm) {
  RandomSource source(2);
  ExpectEqualOnEveryLevel({.channels = 15}, source, false);
  ExpectEqualOnEveryLevel({.columns = 31}, source, false);
  ExpectEqualOnEveryLevel({.pixels = 3}, source, false);
  ExpectEqualOnEveryLevel({.channels = 600, .columns = 64}, source, false);  // weights for four tiles
}

}  // namespace
}  // namespace tally
