// The objects of tally.hpp, which has names of its own: no other header of Tally is included here.
#include <gtest/gtest.h>

#include <string>
#include <tally.hpp>
#include <utility>
#include <vector>

#include "api/c/testing/negative_bytes.h"

namespace {

tally::Module Negative() { return tally::Module::FromBytes(tally::api::NegativeBytes()); }

template <typename Function>
std::string LabelOf(const Function& function) {
  try {
    function();
  } catch (const tally::Error& error) {
    EXPECT_STRNE(error.what(), "");
    return std::string(error.stage()) + " " + error.label();
  }
  return "";
}

TEST(Objects, RunAModule) {
  const tally::Module module = Negative();
  const tally::Plan plan(module);
  std::vector<int8_t> x = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> y(6);
  plan.Run({tally::Dense(x)}, {tally::Dense(y)});
  EXPECT_EQ(y, (std::vector<int32_t>{-1, -2, -3, -4, -5, -6}));
  EXPECT_EQ(module.Info().params, 1u);
  EXPECT_STREQ(module.Param(0).name, "x");
  EXPECT_STREQ(module.Result(0).name, "y");
  EXPECT_STREQ(plan.Info().engine, "cpu");
  EXPECT_EQ(tally::Hex(module.Id()).size(), 64u);
  const std::vector<int64_t> shape = {2, 3};
  EXPECT_NE(tally::DigestOf(tally::Dense(y, shape)), tally::DigestOf(tally::Dense(x, shape)));
}

TEST(Objects, ThrowWhatIsRefused) {
  EXPECT_EQ(LabelOf([] { tally::Module::FromFile("/nowhere"); }), "file file_open");
  EXPECT_EQ(LabelOf([] { tally::Module::FromBytes({'x'}); }), "malformed bad_magic");
  tally_plan_options options = {};
  options.engine = "abacus";
  const tally::Module module = Negative();
  EXPECT_EQ(LabelOf([&] { const tally::Plan plan(module, options); }), "refused engine_unavailable");
  const tally::Plan plan(module);
  std::vector<int8_t> x(6), y(6), far(6, 101);
  EXPECT_EQ(LabelOf([&] { plan.Run({tally::Dense(far)}, {tally::Dense(y)}); }), "refused input_interval");
  tally::Cancellation cancellation;
  cancellation.Cancel();
  tally_run_options run = {};
  run.cancellation = cancellation.get();
  EXPECT_EQ(LabelOf([&] { plan.Run({tally::Dense(x)}, {tally::Dense(y)}, run); }), "refused cancelled");
}

TEST(Objects, MoveAndCloseOnce) {
  tally::Module module = Negative();
  tally::Module other = std::move(module);
  EXPECT_EQ(LabelOf([&] { module.Id(); }), "request api_handle");
  tally::Plan plan(other);
  const tally_module handle = other.get();
  other = Negative();  // which closes none but the first
  module = std::move(other);
  { const tally::Module last = std::move(module); }
  EXPECT_NE(tally_module_close(handle), TALLY_OK);
  std::vector<int8_t> x(6), y(6);
  plan.Run({tally::Dense(x)}, {tally::Dense(y)});  // the plan has kept its module
}

TEST(Objects, SignAndVerify) {
  const tally::Plan plan(Negative());
  const tally::Key key = tally::Key::FromPem(tally::Key::Generate().Pem());
  const tally::PublicKey trusted = tally::PublicKey::FromPem(key.Public().Pem());
  std::vector<int8_t> x = {1, 2, 3, 4, 5, 6}, y(6);
  const tally::Digest nonce = {7}, other = {8};
  tally_receipt_options says = {};
  says.nonce = nonce.data();
  const tally::Receipt signed_run = plan.RunSigned({tally::Dense(x)}, {tally::Dense(y)}, key, says);
  const tally::Receipt receipt = tally::Receipt::Parse(signed_run.Text());
  EXPECT_EQ(y[5], -6);
  EXPECT_STREQ(receipt.Verify(trusted, {.nonce = &nonce}).word, "VERIFIED");
  EXPECT_STREQ(receipt.Verify(trusted, {.nonce = &other}).word, "REFUTED");
  const tally::Digest results = Negative().ResultsDigest({tally::Dense(y)});
  EXPECT_EQ(receipt.Verify(trusted, {.results = &results}).compared, uint32_t{TALLY_COMPARED_RESULTS});
  EXPECT_STREQ(receipt.Verify(trusted, {.results = &other}).label, "receipt_results");
  const std::vector<uint8_t> none = {'n', 'o'};
  const tally_finding accused = receipt.Verify(trusted, {.certificate = &none});
  EXPECT_STREQ(accused.word, "VERIFIED");
  EXPECT_EQ(accused.compared, uint32_t{TALLY_COMPARED_CERTIFICATE});
  EXPECT_STRNE(accused.message, "");
  EXPECT_STREQ(receipt.Verify(tally::Key::Generate().Public()).word, "UNVERIFIABLE");
  EXPECT_STREQ(receipt.Recompute(plan, {tally::Dense(x)}).word, "REPRODUCED");
  EXPECT_STREQ(receipt.Info().status, "ok");
  EXPECT_EQ(tally::Hex(trusted.Id()).substr(0, 2), tally::Hex({receipt.Info().key[0]}).substr(0, 2));
}

TEST(Objects, KnowWhatIntegersMean) {
  tally_value_info value = {};
  value.multiplier = 3;
  value.shift = 4;
  value.zero_point = -2;
  EXPECT_EQ(tally::ToReal(value, 6), 1.5);
}

}  // namespace
