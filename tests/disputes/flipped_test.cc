// Nothing of a certificate can be another: every byte flipped is refused, and every field for its reason.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "engines/engine.h"
#include "ops/reference.h"
#include "ops/sort/attrs.h"
#include "ops/table/attrs.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/check_certificate.h"
#include "proof/dispute/play.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// y = sorted t + t, where t = a sigmoid of x W: a value of weights and of the table of a recipe, and one with
// a wide instruction that is folded into it.
Module MakeModule() {
  ModuleBuilder builder(Profile::kCore);
  const ValueId x = builder.Param("x", {*Shape::Create({2, 3}), {-9, 9}});
  const ValueId w =
      builder.Constant(*Tensor::FromValues(*Shape::Create({4, 3}), {1, 2, 3, -1, -2, -3, 4, 5, 6, 0, 1, 0}));
  const ValueId sums = builder.Op(Opcode::kDense, {x, w});
  Recipe sigmoid = {.function = RecipeFunction::kSigmoid, .first = -135, .count = 271, .lo = -128, .hi = 127};
  sigmoid.in = {.multiplier = 1, .shift = 4};
  sigmoid.out = {.multiplier = 1, .shift = 7};
  const ValueId table = *builder.Constant(sigmoid);
  const ValueId t = builder.Op(Opcode::kTable, {sums, table}, TableAttrs{.offset = -135});
  const ValueId sorted = builder.Op(Opcode::kSort, {t}, SortAttrs{.axis = 1, .descending = false});
  builder.Result("y", builder.Op(Opcode::kElemwiseAdd, {sorted, t}));
  return std::move(builder).Build();
}

class Flipped : public testing::Test {
 protected:
  void SetUp() override {
    auto valid = Validate(MakeModule());
    ASSERT_TRUE(valid.ok()) << valid.status();
    module_ = std::make_shared<const ValidModule>(*std::move(valid));
    claimed_ = std::make_unique<const ClaimedModule>(*module_);
    const Tensor x = *Tensor::FromValues(*Shape::Create({2, 3}), {1, -2, 3, 9, 0, -9});
    const TensorView inputs[] = {x.view()};
    honest_ = *RecordedRun::Of(*claimed_, **MakePlan("reference", module_), inputs);
  }

  // The certificate of a dispute about element 5 of an entry; by its expansion, where nothing may be judged
  // at once.
  std::vector<uint8_t> Dispute(size_t entry, int64_t most_direct) {
    RecordedRun accused = honest_;
    accused.values[entry].mutable_bytes()[5] ^= 1;
    accused.CommitToTensors();
    const auto played = PlayDispute(*claimed_, honest_, accused, nullptr, most_direct);
    EXPECT_TRUE(played.ok()) << played.status();
    EXPECT_TRUE(played->end && played->end->conviction);
    return played->certificate;
  }

  std::shared_ptr<const ValidModule> module_;
  std::unique_ptr<const ClaimedModule> claimed_;
  RecordedRun honest_;
};

TEST_F(Flipped, NoBitOfACertificateCanBeAnother) {
  ASSERT_EQ(honest_.values.size(), 2u);
  int flipped = 0;
  for (size_t entry = 0; entry < honest_.values.size(); ++entry) {
    for (const int64_t most_direct : {kMostLeafBytes, int64_t{-1}}) {
      std::vector<uint8_t> file = Dispute(entry, most_direct);
      ASSERT_TRUE(CheckCertificate<TrappingInt>(file).ok());
      for (size_t i = 0; i < file.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
          file[i] ^= static_cast<uint8_t>(1 << bit);
          ASSERT_FALSE(CheckCertificate<TrappingInt>(file).ok())
              << entry << ", byte " << i << ", bit " << bit;
          file[i] ^= static_cast<uint8_t>(1 << bit);
          ++flipped;
        }
      }
    }
  }
  std::cout << flipped << " bits flipped, all refused\n";
}

TEST_F(Flipped, EveryFieldIsRefusedForItsReason) {
  const Certificate direct = *DecodeCertificate(Dispute(0, kMostLeafBytes));
  const Certificate by_steps = *DecodeCertificate(Dispute(1, -1));
  ASSERT_TRUE(by_steps.columns.has_value());
  ASSERT_FALSE(direct.recipes.empty());
  const auto label_of = [](const Certificate& base, const std::function<void(Certificate&)>& change) {
    Certificate changed = base;
    change(changed);
    EXPECT_NE(changed, base);
    return ErrorLabel(CheckCertificate<TrappingInt>(EncodeCertificate(changed)).status());
  };
  const auto of_direct = [&](const auto& change) { return label_of(direct, change); };
  const auto of_steps = [&](const auto& change) { return label_of(by_steps, change); };

  EXPECT_EQ(of_direct([](Certificate& c) { c.claim.module[0] ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.claim.inputs[0] ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.claim.bounds[0] ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { (*c.claim.results)[0] ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.claim.gas += 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.inputs[0][0] ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.results.emplace_back(); }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.program.back() ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) { c.bounds.back() ^= 1; }), "certificate_claim");
  EXPECT_EQ(of_direct([](Certificate& c) {
              c.claim = {.module = c.claim.module,
                         .inputs = c.claim.inputs,
                         .status = "input_count",
                         .results = {},
                         .limit = {}};
            }),
            "certificate_claim");

  EXPECT_EQ(of_direct([](Certificate& c) { c.charge = Charge::kClaim, c.accused = {}, c.element = 0; }),
            "certificate_right");
  EXPECT_EQ(of_direct([](Certificate& c) { c.charge = Charge::kOrder; }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.charge = Charge::kType, c.element = 0; }), "certificate_value");
  EXPECT_EQ(of_direct([](Certificate& c) { c.accused.kind = ValueKind::kConstant; }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.accused.index = 9; }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.element = 4; }), "certificate_right");
  EXPECT_EQ(of_direct([](Certificate& c) { c.element = 8; }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.header = {1}; }), "certificate_form");

  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->count += 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->root[0] ^= 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->opened[0].first += 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->opened[0].second.id += 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->opened[0].second.value[0] ^= 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace->siblings.at(0)[0] ^= 1; }), "certificate_trace");
  EXPECT_EQ(of_direct([](Certificate& c) { c.trace.reset(); }), "certificate_form");

  for (size_t i = 0; i < direct.values.size(); ++i) {
    EXPECT_EQ(of_direct([&](Certificate& c) { c.values[i].leaves.root[0] ^= 1; }), "certificate_value") << i;
    EXPECT_EQ(of_direct([&](Certificate& c) { c.values[i].leaves.count += 1; }), "certificate_value") << i;
    EXPECT_EQ(of_direct([&](Certificate& c) { c.values[i].leaves.opened[0].second[0] ^= 1; }),
              "certificate_value")
        << i;
    EXPECT_EQ(of_direct([&](Certificate& c) { c.values[i].leaves.opened[0].first += 1; }),
              "certificate_value")
        << i;
    EXPECT_EQ(of_direct([&](Certificate& c) { c.values.erase(c.values.begin() + static_cast<int64_t>(i)); }),
              "leaf_missing")
        << i;
  }
  EXPECT_EQ(of_direct([](Certificate& c) { std::swap(c.values[0], c.values[1]); }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.recipes[0].second.back() ^= 1; }), "certificate_value");
  EXPECT_EQ(of_direct([](Certificate& c) { c.recipes[0].first = 0; }), "certificate_value");
  EXPECT_EQ(of_direct([](Certificate& c) { c.recipes[0].first = 7; }), "certificate_form");
  EXPECT_EQ(of_direct([](Certificate& c) { c.recipes.clear(); }), "leaf_missing");

  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->entry += 7; }), "certificate_form");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->element = 8; }), "certificate_form");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->element -= 1; }), "certificate_form");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->columns.count += 1; }), "certificate_trace");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->columns.root[0] ^= 1; }), "certificate_trace");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->columns.opened[0].second[0] ^= 1; }),
            "certificate_trace");
  EXPECT_EQ(of_steps([](Certificate& c) { c.columns->columns.siblings.at(0)[0] ^= 1; }), "certificate_trace");
}

}  // namespace
}  // namespace tally
