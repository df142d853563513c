#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "engines/engine.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// A run of a module in text form, which a test alters.
class Case {
 public:
  Case(const std::string& body, std::vector<Tensor> inputs) {
    auto module = Assemble("tally 1\nprofile core\n" + body);
    EXPECT_TRUE(module.ok()) << module.status();
    auto valid = Validate(*std::move(module));
    EXPECT_TRUE(valid.ok()) << valid.status();
    module_ = std::make_shared<const ValidModule>(*std::move(valid));
    claimed_ = std::make_unique<ClaimedModule>(*module_);
    const auto plan = *MakePlan("reference", module_);
    std::vector<TensorView> views;
    for (const Tensor& input : inputs) views.push_back(input.view());
    auto run = RecordedRun::Of(*claimed_, *plan, views);
    EXPECT_TRUE(run.ok()) << run.status();
    honest = *run;
    accused = *run;
  }

  // The outcome of the certificate against `accused`: its words, or a label.
  std::string Verdict() {
    accused.CommitToTensors();
    const auto certificate = Convict(*claimed_, honest, accused);
    if (!certificate.ok()) return ErrorLabel(certificate.status());
    if (!*certificate) return "they agree";
    file = EncodeCertificate(**certificate);
    const auto conviction = CheckCertificate<TrappingInt>(file);
    const auto formal = CheckCertificate<FormalInt>(file);
    EXPECT_EQ(conviction.ok(), formal.ok());
    if (!conviction.ok()) return conviction.status().ToString();
    EXPECT_EQ(*conviction, *formal);
    EXPECT_EQ(conviction->claim, ClaimId(accused.claim));
    EXPECT_EQ(conviction->trace.value_or(TraceDigest(accused.trace)), TraceDigest(accused.trace));
    return conviction->what;
  }

  RecordedRun honest, accused;
  std::vector<uint8_t> file;

 private:
  std::shared_ptr<const ValidModule> module_;
  std::unique_ptr<ClaimedModule> claimed_;
};

Tensor Of(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return *Tensor::FromValues(*Shape::Create(dims), values);
}

const std::string kChain =
    "param %0 \"x\" [4] in [-5, 5]\n%1 = abs %0\n%2 = elemwise_add %1, %1\n%3 = negative %2\n"
    "%4 = elemwise_add %3, %0\nresult %4 \"y\"\n";

TEST(Certificate, AnElementOfAValueConvicts) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  ASSERT_EQ(c.honest.trace.size(), 2u);
  EXPECT_EQ(c.Verdict(), "they agree");
  c.accused.values[0].mutable_bytes()[2] = 4;
  EXPECT_EQ(c.Verdict(), "element 2 of entry 0 is claimed to be 4, and is 3");
  c.accused.values[0] = c.honest.values[0];
  c.accused.values[1].mutable_bytes()[3] += 1;
  EXPECT_EQ(c.Verdict(), "element 3 of entry 1 is claimed to be -11, and is -12");
}

TEST(Certificate, AResultThatIsNotTheOneOfTheTraceConvicts) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  c.accused.results[0].mutable_bytes()[0] += 1;
  EXPECT_EQ(c.Verdict(), "element 0 of result 0 is claimed to be -2, and is -3");
}

TEST(Certificate, AnotherTypeConvicts) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  c.accused.values[0] = Tensor::Copy(c.honest.values[0].view(), Storage::kI16);
  EXPECT_EQ(c.Verdict(), "entry 0 is of another type than [4] i8");
  c.accused = c.honest;
  c.accused.results[0] = Of({1, 4}, {-3, -2, -3, -12});
  EXPECT_EQ(c.Verdict(), "result 0 is of another type than [4] i8");
  c.accused = c.honest;
  c.accused.inputs[0] = Of({5}, {-1, 2, 3, -4, 0});
  EXPECT_EQ(c.Verdict(), "input 0 is of another type than [4] i8");
  c.accused.inputs[0] = Of({4}, {-1, 2, 6, -4});
  EXPECT_EQ(c.Verdict(), "element 2 of input 0 is 6, outside [-5, 5]");
  c.accused.inputs[0] = Of({4}, {-1, 2, 5, -4});
  EXPECT_EQ(c.Verdict(), "claim_inputs");
}

TEST(Certificate, AnotherOrderConvicts) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  std::swap(c.accused.trace[0].id, c.accused.trace[1].id);
  EXPECT_EQ(c.Verdict(), "entry 0 is of %4, where %1 is computed");
  c.accused = c.honest;
  c.accused.trace.pop_back();
  EXPECT_EQ(c.Verdict(), "the trace ends after 1 entries, but the run goes on");
  c.accused.trace.clear();
  EXPECT_EQ(c.Verdict(), "the trace ends after 0 entries, but the run goes on");
  c.accused = c.honest;
  c.accused.trace.push_back(c.honest.trace[1]);
  c.accused.values.push_back(c.honest.values[1]);
  EXPECT_EQ(c.Verdict(), "entry 2 comes after the end of the run");
}

TEST(Certificate, TheClaimAloneConvicts) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  c.accused.claim.gas += 1;
  EXPECT_NE(c.Verdict().find("the claim has gas"), std::string::npos) << c.Verdict();
  c.accused = c.honest;
  c.accused.results.push_back(c.honest.results[0]);
  EXPECT_EQ(c.Verdict(), "the claim has 2 results, its module 1");
  c.accused = c.honest;
  c.accused.inputs.clear();
  EXPECT_EQ(c.Verdict(), "the claim has 0 inputs, its module 1");
}

TEST(Certificate, ABoundIsComparedAndNotConvicted) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  c.accused.claim.bounds[0] ^= 1;
  EXPECT_EQ(c.Verdict(), "dispute_bounds");
  c.accused = c.honest;
  c.accused.claim.status = "input_interval";
  c.accused.claim.results.reset();
  EXPECT_EQ(c.Verdict(), "dispute_claim");
}

TEST(Certificate, ATraceOfNoEntriesHasTheRootOfNone) {
  Case c("param %0 \"x\" [2] in [-5, 5]\nresult %0 \"y\"\n", {Of({2}, {-1, 2})});
  c.accused.results[0].mutable_bytes()[0] = 1;
  ASSERT_EQ(c.Verdict(), "element 0 of result 0 is claimed to be 1, and is -1");
  Certificate certificate = *DecodeCertificate(c.file);
  certificate.charge = Charge::kOrder;
  certificate.accused = {ValueKind::kEntry, 0};
  certificate.values.clear();
  certificate.trace = {.count = 0, .root = MerkleRoot({}), .opened = {}, .siblings = {}};
  const auto verdict = [&] { return CheckCertificate<TrappingInt>(EncodeCertificate(certificate)); };
  EXPECT_EQ(ErrorLabel(verdict().status()), "certificate_right");
  certificate.trace->root[0] ^= 1;
  ASSERT_TRUE(verdict().ok()) << verdict().status();
  EXPECT_EQ(verdict()->what, "the trace has no entries, and a root of some");
}

// The bounds of these depend on the elements of constants, which a certificate does not have; what is clamped
// after zero_out may be all that the clamp lets through.
TEST(Certificate, ResultsThatAreClampedMayBeAnything) {
  Case rms(
      "param %0 \"x\" [2] in [-100, 100]\n%1 = constant i32 [2] {2147483647, -2147483648}\n"
      "%2 = constant i64 [2] {140737488355327, -140737488355328}\n"
      "%3 = rms_norm %0, %1, %2 {axes = [0], guard = 1, epsilon = 1, epsilon_mode = added, shift = 0, "
      "zero_out = 5, lo = -140737488355328, hi = 140737488355327, zero_in = 0}\nresult %3 \"y\"\n",
      {Of({2}, {-1, 2})});
  rms.accused.values[0].mutable_bytes()[0] ^= 1;
  EXPECT_TRUE(rms.Verdict().starts_with("element 0 of entry 0 is claimed")) << rms.Verdict();
  Case layer(
      "param %0 \"x\" [2] in [-5, 5]\n%1 = constant i32 [] {2147483647}\n%2 = constant i16 [] {928}\n"
      "%3 = layer_norm %0, %1, %2 {axes = [0], guard = 1, epsilon = 1000, epsilon_mode = outside, "
      "shift = 0, zero_out = 5, lo = -140737488355328, hi = 140737488355327}\nresult %3 \"y\"\n",
      {Of({2}, {-1, 2})});
  layer.accused.values[0].mutable_bytes()[0] ^= 1;
  EXPECT_TRUE(layer.Verdict().starts_with("element 0 of entry 0 is claimed")) << layer.Verdict();
}

TEST(Certificate, AnHonestRunIsNotConvicted) {
  Case c(kChain, {Of({4}, {-1, 2, 3, -4})});
  c.accused.values[0].mutable_bytes()[2] = 4;
  ASSERT_EQ(c.Verdict(), "element 2 of entry 0 is claimed to be 4, and is 3");
  Certificate certificate = *DecodeCertificate(c.file);
  certificate.element = 1;
  EXPECT_EQ(ErrorLabel(CheckCertificate<TrappingInt>(EncodeCertificate(certificate)).status()),
            "certificate_right");
}

}  // namespace
}  // namespace tally
