#include "proof/verify/verify_receipt.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "proof/certificate/convict.h"
#include "proof/certificate/recorded_run.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

std::shared_ptr<const ValidModule> Relu(int limit) {
  auto module = Assemble("tally 1\nprofile core\nparam %0 \"x\" [3] in [-" + std::to_string(limit) +
                         ", 100]" + "\n%1 = relu %0\nresult %1 \"y\"\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return std::make_shared<const ValidModule>(*Validate(*std::move(module)));
}

class VerifyReceiptTest : public testing::Test {
 protected:
  Claim Run(const Tensor& input, const ExecuteOptions& options = {}) const {
    const TensorView inputs[] = {input.view()};
    return *ClaimOfRun(claimed_, inputs, plan_->Execute(inputs, options), options);
  }
  Finding<Recomputation> Again(const Claim& claim, const Tensor& input) const {
    const TensorView inputs[] = {input.view()};
    return Recompute(Signed(claim), claimed_, *plan_, inputs);
  }
  Receipt Signed(const Claim& claim) const {
    return SignReceipt(claim, {.nonce = Digest{5}, .issued_at = 1}, key_);
  }

  const std::shared_ptr<const ValidModule> module_ = Relu(100);
  const ClaimedModule claimed_{*module_};
  const std::unique_ptr<const Plan> plan_ = *MakePlan("cpu", module_);
  const SigningKey key_ = *SigningKey::Generate();
  const Tensor input_ = *Tensor::FromValues(*Shape::Create({3}), {-1, 2, 3});
};

void ExpectStanding(const Finding<Standing>& found, Standing word, std::string_view label) {
  EXPECT_EQ(NameOf(found.word), NameOf(word));
  EXPECT_EQ(ErrorLabel(found.why), label) << found.why;
}

TEST_F(VerifyReceiptTest, AnHonestReceiptIsVerifiedAndReproduced) {
  const Receipt receipt = Signed(Run(input_));
  const Verdict verdict = VerifyReceipt(
      receipt,
      {.key = key_.public_key(), .nonce = Digest{5}, .results = receipt.claim.results, .origin = {}});
  ExpectStanding(verdict.standing, Standing::kVerified, "");
  EXPECT_EQ(NameOf(verdict.recomputation.word), "CANNOT_RECOMPUTE");
  EXPECT_EQ(ErrorLabel(verdict.recomputation.why), "claim_unchecked");
  EXPECT_EQ(NameOf(Again(receipt.claim, input_).word), "REPRODUCED");
}

TEST_F(VerifyReceiptTest, ACertificateRefutesTheReceiptThatItConvicts) {
  const TensorView inputs[] = {input_.view()};
  const RecordedRun honest = *RecordedRun::Of(claimed_, *plan_, inputs);
  RecordedRun lie = honest;
  lie.values[0].mutable_bytes()[0] ^= 1;
  lie.CommitToTensors();
  const auto file = EncodeCertificate(**Convict(claimed_, honest, lie));
  const auto receipt_of = [&](const RecordedRun& run, bool traced) {
    ReceiptCore core = {.nonce = {}, .issued_at = 1};
    if (traced) core.trace = TraceDigest(run.trace);
    return SignReceipt(run.claim, core, key_);
  };
  Evidence evidence;
  evidence.key = key_.public_key();
  evidence.certificate = file;
  const Verdict guilty = VerifyReceipt(receipt_of(lie, true), evidence);
  ExpectStanding(guilty.standing, Standing::kRefuted, "receipt_convicted");
  // The trace of the certificate is none that these have signed.
  for (const Receipt& receipt : {receipt_of(lie, false), receipt_of(honest, true)}) {
    const Verdict verdict = VerifyReceipt(receipt, evidence);
    ExpectStanding(verdict.standing, Standing::kVerified, "");
    EXPECT_TRUE(verdict.compared.certificate);
    EXPECT_NE(verdict.certificate, "");
  }
  evidence.key = {};
  const Verdict unsigned_yet = VerifyReceipt(receipt_of(lie, true), evidence);
  ExpectStanding(unsigned_yet.standing, Standing::kUnverifiable, "receipt_unchecked");
  EXPECT_FALSE(unsigned_yet.compared.certificate);
}

TEST_F(VerifyReceiptTest, AnExpansionIsComparedWithTheOneThatWasSent) {
  const Receipt receipt = Signed(Run(input_));
  Conviction conviction = {.claim = ClaimId(receipt.claim), .trace = {}, .columns = Digest{9}, .what = ""};
  EXPECT_EQ(ErrorLabel(ConvictsSigner(conviction, receipt, {})), "dispute_other") << "anybody can invent one";
  EXPECT_EQ(ErrorLabel(ConvictsSigner(conviction, receipt, Digest{8})), "dispute_other");
  EXPECT_TRUE(ConvictsSigner(conviction, receipt, Digest{9}).ok());
  conviction.claim[0] ^= 1;
  EXPECT_EQ(ErrorLabel(ConvictsSigner(conviction, receipt, Digest{9})), "dispute_other");
}

TEST_F(VerifyReceiptTest, AVerdictSaysWhatWasCompared) {
  const Receipt receipt = Signed(Run(input_));
  Verdict verdict = VerifyReceipt(
      receipt, {.key = key_.public_key(), .nonce = {}, .results = receipt.claim.results, .origin = {}});
  EXPECT_EQ(verdict.compared, Compared{.results = true});
  AddRecomputation(receipt, Again(receipt.claim, input_), &verdict);
  EXPECT_EQ(verdict.compared, (Compared{.module = true, .inputs = true, .results = true}));
  EXPECT_EQ(NamesOf(verdict.compared), (std::vector<std::string_view>{"module", "inputs", "results"}));
}

TEST_F(VerifyReceiptTest, EachThingThatSpeaksAgainstAReceiptHasItsReason) {
  const Receipt receipt = Signed(Run(input_));
  const PublicKey key = key_.public_key();
  const auto standing = [](const Receipt& r, const Evidence& e) { return VerifyReceipt(r, e).standing; };
  ExpectStanding(standing(receipt, {}), Standing::kUnverifiable, "receipt_unchecked");
  ExpectStanding(
      standing(receipt,
               {.key = SigningKey::Generate()->public_key(), .nonce = {}, .results = {}, .origin = {}}),
      Standing::kUnverifiable, "receipt_key");
  ExpectStanding(standing(receipt, {.key = key, .nonce = Digest{6}, .results = {}, .origin = {}}),
                 Standing::kRefuted, "receipt_nonce");
  ExpectStanding(standing(receipt, {.key = key, .nonce = {}, .results = Digest{}, .origin = {}}),
                 Standing::kRefuted, "receipt_results");
  Receipt other = receipt;
  other.signature[7] ^= 1;
  ExpectStanding(standing(other, {.key = key, .nonce = {}, .results = {}, .origin = {}}), Standing::kRefuted,
                 "receipt_signature");
  other = receipt;
  other.core.issued_at ^= 1;
  ExpectStanding(standing(other, {.key = key, .nonce = {}, .results = {}, .origin = {}}), Standing::kRefuted,
                 "receipt_signature");
  other = receipt;
  other.claim.gas ^= 1;
  ExpectStanding(standing(other, {.key = key, .nonce = {}, .results = {}, .origin = {}}), Standing::kRefuted,
                 "receipt_claim");
  // A signature over another claim than the one that the core names: the executor itself has lied.
  other.core.claim = ClaimId(other.claim);
  ExpectStanding(standing(other, {.key = key, .nonce = {}, .results = {}, .origin = {}}), Standing::kRefuted,
                 "receipt_signature");
  other = SignReceipt(receipt.claim, {}, key_);
  ExpectStanding(standing(other, {.key = key, .nonce = Digest{5}, .results = {}, .origin = {}}),
                 Standing::kRefuted, "receipt_nonce");
}

TEST_F(VerifyReceiptTest, ASignedClaimThatIsWrongDiverges) {
  const Claim honest = Run(input_);
  std::vector<Claim> wrong(5, honest);
  wrong[0].results = Digest{1};
  wrong[1].gas += 1;
  wrong[2].bounds = {1};
  wrong[3] = {.module = honest.module,
              .inputs = honest.inputs,
              .bounds = honest.bounds,
              .gas = 0,
              .status = "input_interval",
              .results = {},
              .limit = {}};
  wrong[4] = {.module = honest.module,
              .inputs = honest.inputs,
              .bounds = honest.bounds,
              .gas = 0,
              .status = "gas_limit",
              .results = {},
              .limit = uint64_t{1} << 63};
  for (const Claim& claim : wrong) {
    ExpectStanding(
        VerifyReceipt(Signed(claim), {.key = key_.public_key(), .nonce = {}, .results = {}, .origin = {}})
            .standing,
        Standing::kVerified, "");
    const Finding<Recomputation> found = Again(claim, input_);
    EXPECT_EQ(NameOf(found.word), "DIVERGED");
    EXPECT_EQ(ErrorLabel(found.why), "claim_diverged");
  }
}

// A receipt costs its reader no run before what it says of the module is true.
TEST_F(VerifyReceiptTest, WhatIsFalseOfTheModuleIsFoundWithoutARun) {
  const TensorView inputs[] = {input_.view()};
  const auto found = [&](const Claim& claim, const ExecuteOptions& limits = {}) {
    const auto finding = FindWithoutRunning(claim, claimed_, inputs, limits);
    return finding.has_value() ? std::string(NameOf(finding->word)) + " " + ErrorLabel(finding->why)
                               : "to run";
  };
  const Claim honest = Run(input_);
  EXPECT_EQ(found(honest), "to run");
  Claim cheap = honest, bounded = honest;
  cheap.gas = 1;
  bounded.bounds = {1};
  EXPECT_EQ(found(cheap), "DIVERGED claim_diverged");
  EXPECT_EQ(found(bounded), "DIVERGED claim_diverged");
  // A refusal that does not take place, so that a verifier who believes it would run the module to see.
  Claim refused = honest;
  refused.gas = 0;
  refused.results.reset();
  for (const char* status : {"input_interval", "input_shape", "gas_limit", "memory_limit"}) {
    refused.status = status;
    refused.limit.reset();
    if (IsLimitStatus(status)) refused.limit = uint64_t{1} << 40;
    for (const int64_t gas : {int64_t{0}, module_->gas()}) {
      refused.gas = static_cast<uint64_t>(gas);
      EXPECT_EQ(found(refused), "DIVERGED claim_diverged") << status << " " << gas;
    }
  }
  EXPECT_EQ(found(Run(input_, {.gas_limit = 1})), "REPRODUCED ");
  EXPECT_EQ(found(honest, {.gas_limit = module_->gas()}), "to run");
  EXPECT_EQ(found(honest, {.gas_limit = module_->gas() - 1}), "CANNOT_RECOMPUTE gas_limit");
  EXPECT_EQ(found(honest, {.memory_limit_bytes = module_->arena_bytes() - 1}),
            "CANNOT_RECOMPUTE memory_limit");
}

TEST_F(VerifyReceiptTest, RefusalsAreReproducedUnderTheirLimits) {
  const Claim gas = Run(input_, {.gas_limit = module_->gas() - 1});
  EXPECT_EQ(gas.status, "gas_limit");
  EXPECT_EQ(NameOf(Again(gas, input_).word), "REPRODUCED");
  Claim late = gas;
  late.limit = static_cast<uint64_t>(module_->gas());  // a limit that the run keeps
  EXPECT_EQ(NameOf(Again(late, input_).word), "DIVERGED");
  const Tensor outside = *Tensor::FromValues(*Shape::Create({3}), {-1, 2, 300});
  EXPECT_EQ(NameOf(Again(Run(outside), outside).word), "REPRODUCED");
}

TEST_F(VerifyReceiptTest, OtherModulesAndInputsCannotRecompute) {
  const Claim claim = Run(input_);
  EXPECT_EQ(ErrorLabel(Again(claim, *Tensor::FromValues(*Shape::Create({3}), {1, 2, 3})).why),
            "claim_inputs");
  const auto other = Relu(99);
  const auto plan = *MakePlan("cpu", other);
  const TensorView inputs[] = {input_.view()};
  const Finding<Recomputation> found = Recompute(Signed(claim), ClaimedModule(*other), *plan, inputs);
  EXPECT_EQ(NameOf(found.word), "CANNOT_RECOMPUTE");
  EXPECT_EQ(ErrorLabel(found.why), "claim_module");
}

TEST_F(VerifyReceiptTest, ATraceIsRecomputedWhereTheReceiptNamesOne) {
  const TensorView inputs[] = {input_.view()};
  Trace trace;
  ExecuteOptions options;
  options.root_observer = RecordInto(trace);
  const Claim claim = *ClaimOfRun(claimed_, inputs, plan_->Execute(inputs, options), {});
  const auto again = [&](const Claim& c, const Digest& digest) {
    const Receipt receipt = SignReceipt(c, {.nonce = {}, .trace = digest, .origin = {}}, key_);
    const Finding<Recomputation> found = Recompute(receipt, claimed_, *plan_, inputs);
    return std::string(NameOf(found.word)) + " " + ErrorLabel(found.why);
  };
  EXPECT_EQ(trace.size(), 1u);
  EXPECT_EQ(again(claim, TraceDigest(trace)), "REPRODUCED ");
  EXPECT_EQ(again(claim, Digest{1}), "DIVERGED trace_diverged");
  // A fault of the claim comes first, and no run that was refused has a trace.
  Claim wrong = claim;
  wrong.results = Digest{1};
  EXPECT_EQ(again(wrong, TraceDigest(trace)), "DIVERGED claim_diverged");
  EXPECT_EQ(again(Run(input_, {.gas_limit = 1}), TraceDigest({})), "DIVERGED trace_diverged");
}

TEST_F(VerifyReceiptTest, TheOriginAtHandIsTheOneOfTheReceiptAndOfItsModule) {
  Origin origin{
      .module = claimed_.id, .producer = "a tool", .version = "1", .sources = {Digest{1}}, .calibration = {}};
  const auto standing = [&](const std::optional<Digest>& named) {
    const Receipt receipt = SignReceipt(Run(input_), {.nonce = {}, .trace = {}, .origin = named}, key_);
    return ErrorLabel(
        VerifyReceipt(receipt, {.key = key_.public_key(), .nonce = {}, .results = {}, .origin = origin})
            .standing.why);
  };
  EXPECT_EQ(standing(OriginDigest(origin)), "");
  EXPECT_EQ(standing(Digest{1}), "receipt_origin");
  EXPECT_EQ(standing(std::nullopt), "receipt_origin");
  origin.module = {1};
  EXPECT_EQ(standing(OriginDigest(origin)), "receipt_origin");
}

}  // namespace
}  // namespace tally
