#include "proof/freivalds/product_verifier.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// Two layers with constant weights, a product of two computed values, a bias that is computed, an input that
// is a result, and a product that is one.
constexpr char kNetwork[] = R"(tally 1
profile core
param %0 "x" [8, 16] in [-128, 127]
%1 = constant i8 [16, 16] hex {REPEATED}
%2 = matmul %0, %1 {transpose_a = false, transpose_b = false, zero_a = 3, zero_b = 0}
%3 = clip %2 {a_min = -128, a_max = 127}
%4 = relu %3
%5 = matmul %4, %1 {transpose_a = false, transpose_b = true, zero_a = 0, zero_b = -2}
%6 = clip %5 {a_min = -100, a_max = 100}
%7 = matmul %6, %4 {transpose_a = false, transpose_b = true, zero_a = 0, zero_b = 0}
%8 = matmul %6, %0 {transpose_a = true, transpose_b = false, zero_a = 0, zero_b = 0}
result %7 "a"
result %4 "b"
result %8 "c"
)";

std::shared_ptr<const ValidModule> Network() {
  std::string text = kNetwork, weights;
  for (int i = 0; i < 256; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    weights += kDigits[(i * 7 / 16) % 16];
    weights += kDigits[i * 7 % 16];
  }
  text.replace(text.find("REPEATED"), 8, weights);
  auto module = Assemble(text);
  EXPECT_TRUE(module.ok()) << module.status();
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

class ProductVerifierTest : public testing::Test {
 protected:
  ProductVerifierTest() {
    std::mt19937 random(3);
    std::uniform_int_distribution<int64_t> element(-128, 127);
    std::vector<int64_t> values(128);
    for (int64_t& value : values) value = element(random);
    x_ = *Tensor::FromValues(*Shape::Create({8, 16}), Storage::kI8, values);
  }

  std::vector<TensorView> inputs() const { return {x_.view()}; }

  absl::StatusOr<std::vector<Tensor>> Checked(const std::vector<uint8_t>& bytes) const {
    const std::vector<TensorType> types = verifier_->types();
    auto products = DecodeProducts(bytes, types);
    if (!products.ok()) return products.status();
    return verifier_->Results(inputs(), *std::move(products));
  }

  const std::shared_ptr<const ValidModule> module_ = Network();
  const std::unique_ptr<const Plan> plan_ = *MakePlan("cpu", module_);
  const std::unique_ptr<const ProductVerifier> verifier_ =
      *ProductVerifier::Make(*module_, Digest{}, "cpu", {}, AuditSecret::Draw(), /*worth=*/0);
  Tensor x_;
};

TEST_F(ProductVerifierTest, HonestProductsGiveTheResultsOfTheRun) {
  ASSERT_EQ(verifier_->products().size(), 4u);
  const std::vector<uint8_t> bytes = *ProductsOfRun(*plan_, inputs(), 0);
  const auto results = Checked(bytes);
  ASSERT_TRUE(results.ok()) << results.status();
  const Outcome outcome = *plan_->Execute(inputs(), {});
  ASSERT_EQ(results->size(), outcome.results.size());
  for (size_t i = 0; i < results->size(); ++i)
    EXPECT_TRUE(SameValues((*results)[i].view(), outcome.results[i].view())) << i;
}

TEST_F(ProductVerifierTest, EveryWrongByteIsCaught) {
  const std::vector<uint8_t> honest = *ProductsOfRun(*plan_, inputs(), 0);
  for (size_t i = 0; i < honest.size(); ++i) {
    std::vector<uint8_t> bytes = honest;
    bytes[i] ^= static_cast<uint8_t>(1 << (i % 8));
    EXPECT_EQ(ErrorLabel(Checked(bytes).status()), "product_wrong") << i;
  }
  std::vector<uint8_t> bytes = honest;
  bytes.pop_back();
  EXPECT_EQ(ErrorLabel(Checked(bytes).status()), "product_wrong");
  bytes.resize(honest.size() + 1);
  EXPECT_EQ(ErrorLabel(Checked(bytes).status()), "product_wrong");
}

// A run that goes on from a wrong product consistently is wrong in nothing but that product.
TEST_F(ProductVerifierTest, AConsistentLieIsCaughtAtItsProduct) {
  const Tensor honest_x = x_;
  StoreElement(Storage::kI8, x_.mutable_bytes().data(), 5, 1);
  const std::vector<uint8_t> of_other = *ProductsOfRun(*plan_, inputs(), 0);
  x_ = honest_x;
  const auto results = Checked(of_other);
  EXPECT_EQ(ErrorLabel(results.status()), "product_wrong");
  EXPECT_NE(results.status().message().find("instruction 1 "), std::string::npos) << results.status();
}

TEST(ProductVerifier, AModuleWithoutProductsHasNoVerifier) {
  const auto module = Validate(
      *Assemble("tally 1\nprofile core\nparam %0 \"x\" [3] in [-9, 9]\n%1 = relu %0\nresult %1 \"y\"\n"));
  EXPECT_EQ(*ProductVerifier::Make(*module, Digest{}, "cpu", {}, AuditSecret::Draw()), nullptr);
}

}  // namespace
}  // namespace tally
