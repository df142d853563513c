#include "proof/freivalds/product_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engines/engine.h"
#include "proof/freivalds/coefficients.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

const Digest kModule = {1, 2, 3};

// A module of one product with operands that are inputs, and a run of it.
struct ProductRun {
  std::shared_ptr<const ValidModule> module;
  std::vector<Tensor> inputs;
  Tensor product;
  ProductCheck check;

  ProductKey Key(const AuditSecret& secret, uint32_t repetition = 0) const {
    const TensorView bias = inputs.back().view();
    return check.KeyOf(inputs[1].view(), inputs.size() == 3 ? &bias : nullptr,
                       secret.Coefficients(kModule, 0, repetition, check.num_coefficients()));
  }
  bool Holds(const TensorView& y, const ProductKey& key) const {
    return check.Holds(inputs[0].view(), y, {&key, 1});
  }
};

Tensor Drawn(const TensorType& type, std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> element(type.interval.lo, type.interval.hi);
  std::vector<int64_t> values(static_cast<size_t>(type.shape.num_elements()));
  for (int64_t& value : values) value = element(random);
  return *Tensor::FromValues(type.shape, type.storage(), values);
}

ProductRun RunOf(const std::string& text, std::mt19937_64& random) {
  auto module = Assemble("tally 1\nprofile core\n" + text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status() << text;
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;
  for (const TensorType& type : shared->entry().params) inputs.push_back(Drawn(type, random));
  for (const Tensor& input : inputs) views.push_back(input.view());
  Outcome outcome = *(*MakePlan("reference", shared))->Execute(views, {});
  auto check = ProductCheck::Of(*shared, 0);
  EXPECT_TRUE(check) << text;
  return {shared, std::move(inputs), std::move(outcome.results[0]), *std::move(check)};
}

std::string List(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (const int64_t value : values) absl::StrAppend(&text, text.size() > 1 ? ", " : "", value);
  return text + "]";
}

class Draws {
 public:
  explicit Draws(std::mt19937_64& random) : random_(random) {}

  int64_t From(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random_); }
  std::string Boolean(bool value) { return value ? "true" : "false"; }

  std::string Matmul() {
    const int64_t m = From(1, 5), k = From(1, 6), n = From(1, 5), rank = From(0, 2);
    std::vector<int64_t> a, b;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t size = From(1, 3), which = From(0, 2);
      a.push_back(which == 1 ? 1 : size);
      b.push_back(which == 2 ? 1 : size);
    }
    if (From(0, 3) == 0) b.clear();
    const bool ta = From(0, 1) == 1, tb = From(0, 1) == 1;
    a.insert(a.end(), {ta ? k : m, ta ? m : k});
    b.insert(b.end(), {tb ? n : k, tb ? k : n});
    return Product("matmul", a, b, 0,
                   absl::StrCat("transpose_a = ", Boolean(ta), ", transpose_b = ", Boolean(tb),
                                ", zero_a = ", From(-9, 9), ", zero_b = ", From(-9, 9)));
  }

  std::string Convolution() {
    const int64_t axes = From(1, 3), groups = From(1, 3), per_group = From(1, 2),
                  outputs = groups * From(1, 3);
    std::vector<int64_t> x = {From(1, 2), groups * per_group}, w = {outputs, per_group}, stride, dilation,
                         before, after;
    for (int64_t i = 0; i < axes; ++i) {
      w.push_back(From(1, 3));
      stride.push_back(From(1, 3));
      dilation.push_back(From(1, 2));
      before.push_back(From(0, 3));
      after.push_back(From(0, 3));
      x.push_back(
          From(std::max<int64_t>(1, dilation.back() * (w.back() - 1) + 1 - before.back() - after.back()), 8));
    }
    return Product("convolution", x, w, From(0, 1) * outputs,
                   absl::StrCat("stride = ", List(stride), ", dilation = ", List(dilation), ", pad_begin = ",
                                List(before), ", pad_end = ", List(after), ", groups = ", groups,
                                ", zero_x = ", From(-9, 9), ", zero_w = ", From(-9, 9)));
  }

 private:
  std::string Product(const std::string& op, const std::vector<int64_t>& x, const std::vector<int64_t>& w,
                      int64_t bias, const std::string& attributes) {
    const int64_t largest = int64_t{1} << From(4, 10);
    std::string text = absl::StrCat("param %0 \"x\" ", List(x), " in [-", largest, ", ", largest,
                                    "]\nparam %1 \"w\" ", List(w), " in [-128, 127]\n");
    if (bias > 0)
      absl::StrAppend(&text, "param %2 \"b\" [", bias, "] in [-5000, 5000]\n%3 = ", op, " %0, %1, %2");
    if (bias == 0) absl::StrAppend(&text, "%2 = ", op, " %0, %1");
    return absl::StrCat(text, " {", attributes, "}\nresult %", bias > 0 ? 3 : 2, " \"y\"\n");
  }

  std::mt19937_64& random_;
};

TEST(ProductCheck, HonestProductsPassAndEveryOtherElementIsCaught) {
  std::mt19937_64 random(1);
  Draws draws(random);
  const AuditSecret secret = AuditSecret::Draw();
  for (int round = 0; round < 3000; ++round) {
    const std::string text = round % 2 == 0 ? draws.Matmul() : draws.Convolution();
    const ProductRun run = RunOf(text, random);
    const ProductKey key = run.Key(secret);
    ASSERT_TRUE(run.Holds(run.product.view(), key)) << text;
    const int64_t element = draws.From(0, run.product.shape().num_elements() - 1);
    const Interval range = RangeOf(run.product.storage());
    for (const int64_t change :
         {int64_t{1}, int64_t{-1}, int64_t{64}, int64_t{1} << 31, -(int64_t{1} << 31)}) {
      const int64_t value = run.product.view().at(element) + change;
      if (!range.Contains(value)) continue;
      Tensor other = run.product;
      StoreElement(other.storage(), other.mutable_bytes().data(), element, value);
      ASSERT_FALSE(run.Holds(other.view(), key)) << text << element << " by " << change;
    }
  }
}

// The adversary knows all but the secret, and spreads a difference over many elements.
TEST(ProductCheck, DifferencesThatCancelForOthersAreCaught) {
  std::mt19937_64 random(2);
  const ProductRun run = RunOf(
      "param %0 \"x\" [4, 8] in [-128, 127]\nparam %1 \"w\" [8, 6] in [-128, 127]\n"
      "%2 = matmul %0, %1 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}\nresult %2 "
      "\"y\"\n",
      random);
  const ProductKey key = run.Key(AuditSecret::Draw()), known = run.Key(AuditSecret(Digest{}));
  const auto changed = [&](const std::vector<int64_t>& differences) {
    Tensor y = Tensor::Copy(run.product.view(), Storage::kI32);
    for (size_t i = 0; i < differences.size(); ++i) {
      const auto place = static_cast<int64_t>(i);
      StoreElement(y.storage(), y.mutable_bytes().data(), place, y.view().at(place) + differences[i]);
    }
    return y;
  };
  // All elements of a row but for the sum; rows exchanged; products by 2^16; the differences that pass with a
  // secret of zeros, which the adversary may have guessed.
  EXPECT_FALSE(run.Holds(changed({1, -1}).view(), key));
  EXPECT_FALSE(run.Holds(changed({5, 5, 5, -5, -5, -5}).view(), key));
  EXPECT_FALSE(run.Holds(changed({1 << 30, 1 << 30, 1 << 30, 1 << 30}).view(), key));
  const int64_t a = known.r[0] >> 3, b = known.r[1] >> 3;
  ProductKey close = known;
  close.r[0] = static_cast<int32_t>(a);
  close.r[1] = static_cast<int32_t>(b);
  const ProductKey guessed = run.check.KeyOf(run.inputs[1].view(), nullptr, close.r);
  ASSERT_TRUE(run.Holds(run.product.view(), guessed));
  EXPECT_TRUE(run.Holds(changed({b, -a}).view(), guessed));  // who knows the secret is not caught
  EXPECT_FALSE(run.Holds(changed({b, -a}).view(), key));
}

// The lemma with w bits for 32: for each d != 0 with |d| < 2^w and each sum of the other terms, at most one
// of the 2^w coefficients in [-2^(w-1), 2^(w-1)) gives 0 modulo 2^(2w).
TEST(ProductCheck, TheLemmaHoldsForAllNumbersOfFewBits) {
  for (int w = 1; w <= 7; ++w) {
    const int64_t modulus = int64_t{1} << (2 * w), half = int64_t{1} << (w - 1);
    for (int64_t d = 1 - 2 * half; d < 2 * half; ++d) {
      if (d == 0) continue;
      std::vector<int> passes(static_cast<size_t>(modulus), 0);
      for (int64_t r = -half; r < half; ++r)
        ++passes[static_cast<size_t>(((-d * r) % modulus + modulus) % modulus)];
      ASSERT_LE(*std::ranges::max_element(passes), 1) << w << " bits, d = " << d;
    }
  }
}

TEST(ProductCheck, ProductsBeyond32BitsAreNotChecked) {
  const auto of = [](const std::string& interval) {
    const auto module =
        Validate(*Assemble("tally 1\nprofile core\nparam %0 \"x\" [1, 2] in " + interval +
                           "\nparam %1 \"w\" [2, 1] in [-2, 1]\n"
                           "%2 = matmul %0, %1 {transpose_a = false, transpose_b = false, zero_a = 0, "
                           "zero_b = 0}\nresult %2 \"y\"\n"));
    return ProductCheck::Of(*module, 0).has_value();
  };
  EXPECT_TRUE(of("[-536870911, 536870911]"));
  EXPECT_FALSE(of("[-536870912, 536870912]"));
}

TEST(AuditSecret, CoefficientsDependOnAllThatTheyAreOf) {
  const AuditSecret secret(Digest{9});
  const std::vector<int32_t> drawn = secret.Coefficients(kModule, 1, 0, 100);
  EXPECT_EQ(secret.Coefficients(kModule, 1, 0, 100), drawn);
  EXPECT_EQ(drawn.size(), 100u);
  EXPECT_NE(AuditSecret(Digest{8}).Coefficients(kModule, 1, 0, 100), drawn);
  EXPECT_NE(secret.Coefficients(Digest{}, 1, 0, 100), drawn);
  EXPECT_NE(secret.Coefficients(kModule, 2, 0, 100), drawn);
  EXPECT_NE(secret.Coefficients(kModule, 1, 1, 100), drawn);
  EXPECT_NE(AuditSecret::Draw().Coefficients(kModule, 1, 0, 4),
            AuditSecret::Draw().Coefficients(kModule, 1, 0, 4));
}

}  // namespace
}  // namespace tally
