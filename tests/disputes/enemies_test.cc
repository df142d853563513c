// Parties that lie in messages: an independent attack on the protocol, case by case. Who lies in elements is
// in soundness_test, and all messages of tiny modules are in model_test.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "ops/reference.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/asserter.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"
#include "tests/disputes/party_runs.h"

namespace tally {
namespace {

std::string Hex(size_t bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes; ++i) hex += "0" + std::to_string(i % 8 + 1);
  return hex;
}

const HonestRun& Wide() {
  static const HonestRun run = HonestRun::Of(
      "tally 1\nprofile core\nparam %0 \"x\" [3, 40] in [-100, 100]\n%1 = constant i8 [4, 40] hex {" +
      Hex(160) +
      "}\n%2 = dense %0, %1\n%3 = relu %2\n%4 = clip %0 {a_min = -5, a_max = 5}\nresult %3 \"y\"\nresult %4 "
      "\"z\"\n");
  return run;
}

const HonestRun& Plain() {
  static const HonestRun run = HonestRun::Of(
      "tally 1\nprofile core\nparam %0 \"x\" [3, 40] in [-100, 100]\n%1 = relu %0\nresult %1 \"y\"\nresult "
      "%1 "
      "\"z\"\n");
  return run;
}

Digest Junk() {
  Digest digest;
  digest.fill(0x5a);
  return digest;
}

Reply Honestly(Asserter& asserter) {
  return [&asserter](const Query& query) { return asserter.Reply(query); };
}

// The end of a dispute about an honest run that is opened otherwise.
std::string Opened(const std::function<void(DisputeOpening&)>& change) {
  Asserter asserter(*Wide().claimed, Wide().run);
  DisputeOpening opening = asserter.opening();
  change(opening);
  return Dispute(Wide(), opening, Honestly(asserter), kMostLeafBytes);
}

// The same for a run that lies.
std::string Claimed(const RecordedRun& run, const std::function<void(DisputeOpening&)>& change,
                    int64_t most_direct = kMostLeafBytes) {
  Asserter asserter(*Wide().claimed, run);
  DisputeOpening opening = asserter.opening();
  change(opening);
  return Dispute(Wide(), opening, Honestly(asserter), most_direct);
}

RecordedRun WithAFalseElement() {
  return Wide().With([](RecordedRun& r) { Alter(r.values[0], 0, 1); });
}

std::string Judged(const Certificate& certificate) {
  const auto conviction = CheckCertificate<TrappingInt>(EncodeCertificate(certificate));
  return conviction.ok() ? "convicted" : std::string(ErrorLabel(conviction.status()));
}

// -- Openings

TEST(Enemies, HonestRunsAgree) {
  EXPECT_EQ(Opened([](DisputeOpening&) {}), "agreement");
}

TEST(Enemies, AnOpeningIsOfTheClaimThatWasSigned) {
  EXPECT_EQ(Opened([](DisputeOpening& o) { o.claim.results = Junk(); }), "asserter: dispute_opening");
  const RecordedRun false_result = Wide().With([](RecordedRun& r) { Alter(r.results[0], 0, 1); });
  EXPECT_EQ(Claimed(false_result, [](DisputeOpening& o) { o.claim.results = Junk(); }),
            "asserter: dispute_opening");
  EXPECT_EQ(Claimed(false_result, [](DisputeOpening& o) { o.inputs[0] = Junk(); }),
            "asserter: dispute_opening");
  EXPECT_EQ(Claimed(WithAFalseElement(), [](DisputeOpening& o) { o.claim.bounds = Junk(); }),
            "asserter: dispute_bounds");
  Asserter honest(*Wide().claimed, Wide().run);
  DisputeOpening opening = honest.opening();
  opening.claim.gas += 1;
  const auto referee = DisputeReferee::Of({Wide().run.claim, Wide().claimed->bounds, std::nullopt}, opening);
  ASSERT_TRUE(referee.ok() && referee->end());
  EXPECT_EQ(ErrorLabel(referee->end()->why), "dispute_opening") << "another claim than was signed";
  const auto of_trace =
      DisputeReferee::Of({Wide().run.claim, Wide().claimed->bounds, Junk()}, honest.opening());
  ASSERT_TRUE(of_trace.ok() && of_trace->end());
  EXPECT_EQ(ErrorLabel(of_trace->end()->why), "dispute_opening") << "another trace than was signed";
}

TEST(Enemies, AClaimOfARefusedRunHasNoDispute) {
  EXPECT_EQ(Opened([](DisputeOpening& o) {
              o.claim.status = "input_interval";
              o.claim.gas = 0;
              o.claim.results.reset();
            }),
            "no dispute: dispute_claim");
}

// -- Traces

TEST(Enemies, ATraceOfNoEntriesHasOneRoot) {
  EXPECT_EQ(Opened([](DisputeOpening& o) {
              o.entries = 0;
              o.trace_root = Junk();
            }),
            "asserter: dispute_opening");
  const RecordedRun& run = Wide().run;
  for (const Digest& root : {Junk(), MerkleRoot({})}) {
    Certificate c = CertificateHead(*Wide().claimed, run.claim, run.input_digests, run.result_digests);
    c.charge = Charge::kOrder;
    c.accused = {ValueKind::kEntry, 0};
    c.trace = {.count = 0, .root = root, .opened = {}, .siblings = {}};
    EXPECT_EQ(Judged(c), "convicted");
  }
}

// A tree of any number of leaves that are all the same.
class EqualLeaves {
 public:
  explicit EqualLeaves(const Digest& leaf) : leaf_(leaf) {}

  Digest Root(uint64_t size) {
    if (size == 1) return leaf_;
    if (const auto found = known_.find(size); found != known_.end()) return found->second;
    const auto halves = PartsBelow({0, size}, 1);
    const Digest roots[] = {Root(halves[0].size), Root(halves[1].size)};
    return known_[size] = RootOfParts({0, size}, 1, roots);
  }

 private:
  Digest leaf_;
  std::map<uint64_t, Digest> known_;
};

TEST(Enemies, ATraceMayNotBeLongerThanTheRun) {
  for (const uint64_t count : {uint64_t{1} << 20, (uint64_t{1} << 62) + 5, ~uint64_t{0}, uint64_t{1} << 63}) {
    Asserter asserter(*Wide().claimed, Wide().run);
    EqualLeaves tree(MerkleLeafHash(EncodeTraceEntry(Wide().run.trace[0])));
    DisputeOpening opening = asserter.opening();
    opening.entries = count;
    opening.trace_root = tree.Root(count);
    const auto reply = [&](const Query& query) -> absl::StatusOr<Answer> {
      if (query.subject != Subject::kTrace) return asserter.Reply(query);
      if (query.part.size == 1) return asserter.Reply({Subject::kTrace, {0, 1}});
      Answer answer;
      for (const TreePart& below : PartsBelow(query.part, kLevelsOfAnswer))
        answer.roots.push_back(tree.Root(below.size));
      return answer;
    };
    EXPECT_EQ(Dispute(Wide(), opening, reply, kMostLeafBytes), "asserter: convicted") << count;
  }
}

TEST(Enemies, AnEntryIsAnEntry) {
  Asserter asserter(*Wide().claimed, Wide().run);
  DisputeOpening opening = asserter.opening();
  const std::vector<uint8_t> none = {0xff, 1, 2};
  std::vector<Digest> hashes;
  for (const TraceEntry& entry : Wide().run.trace) hashes.push_back(MerkleLeafHash(EncodeTraceEntry(entry)));
  hashes[0] = MerkleLeafHash(none);
  opening.trace_root = MerkleRoot(hashes);
  const auto reply = [&](const Query& query) -> absl::StatusOr<Answer> {
    if (query.subject != Subject::kTrace) return asserter.Reply(query);
    Answer answer;
    if (query.part.size == 1) {
      answer.leaf = none;
      return answer;
    }
    for (const TreePart& below : PartsBelow(query.part, kLevelsOfAnswer))
      answer.roots.push_back(MerkleRoot(std::span(hashes).subspan(below.first, below.size)));
    return answer;
  };
  EXPECT_EQ(Dispute(Wide(), opening, reply, kMostLeafBytes), "asserter: dispute_answer");
}

// -- Leaves and headers that a certificate has no room for

class EnemiesOfSize : public testing::TestWithParam<size_t> {
 protected:
  const std::vector<uint8_t> bytes_ = std::vector<uint8_t>(GetParam(), 0x41);
};

TEST_P(EnemiesOfSize, AHeaderOfAValue) {
  RecordedRun lie = Wide().run;
  lie.trace[0].value = TensorHeaderDigest(bytes_);
  Asserter asserter(*Wide().claimed, lie);
  const auto reply = [&](const Query& query) {
    auto answer = asserter.Reply(query);
    if (query.subject == Subject::kTrace && query.part == TreePart{0, 1}) answer->header = bytes_;
    return answer;
  };
  EXPECT_EQ(Dispute(Wide(), asserter.opening(), reply, kMostLeafBytes), "asserter: dispute_answer");
}

TEST_P(EnemiesOfSize, AHeaderOfAResult) {
  RecordedRun lie = Wide().run;
  lie.result_digests[0] = TensorHeaderDigest(bytes_);
  lie.claim.results = IoMapDigest(lie.result_digests);
  Asserter asserter(*Wide().claimed, lie);
  const auto reply = [&](const Query& query) {
    auto answer = asserter.Reply(query);
    if (query.subject == Subject::kResult) answer->header = bytes_;
    return answer;
  };
  EXPECT_EQ(Dispute(Wide(), asserter.opening(), reply, kMostLeafBytes), "asserter: dispute_answer");
}

TEST_P(EnemiesOfSize, ALeaf) {
  RecordedRun lie = Wide().run;
  const Tensor& value = lie.values[0];
  const auto header =
      TensorHeader(value.storage(), value.shape(), CommittedLayout(value.shape()), MerkleLeafHash(bytes_));
  lie.trace[0].value = TensorHeaderDigest(header);
  Asserter asserter(*Wide().claimed, lie);
  const auto reply = [&](const Query& query) {
    auto answer = asserter.Reply(query);
    if (query.subject == Subject::kTrace && query.part.size == 1) answer->header = header;
    if (query.subject == Subject::kValue) answer->leaf = bytes_;
    return answer;
  };
  const std::string end = Dispute(Wide(), asserter.opening(), reply, kMostLeafBytes);
  EXPECT_EQ(end, GetParam() > 1024 ? "asserter: dispute_answer" : "asserter: convicted");
}

INSTANTIATE_TEST_SUITE_P(Sizes, EnemiesOfSize, testing::Values(200, 100'000, 1'100'000, 3'000'000));

// -- Expansions

// The end where the asserter sends an expansion that is made by `change` of the leaves of its tree.
std::string Expanded(const std::function<void(std::vector<Digest>&)>& change) {
  const RecordedRun lie = WithAFalseElement();
  Asserter asserter(*Wide().claimed, lie);
  uint64_t entry = 0;
  const auto reply = [&](const Query& query) -> absl::StatusOr<Answer> {
    if (query.subject == Subject::kTrace && query.part.size == 1) entry = query.part.first;
    if (query.subject != Subject::kExpansion) return asserter.Reply(query);
    const auto columns = *Expand(*Wide().claimed, lie, entry, query.part.first);
    std::vector<Digest> leaves;
    for (const Tensor& column : columns->columns)
      leaves.push_back(MerkleLeafHash(ValueDigest(column.view())));
    change(leaves);
    if (leaves.empty()) return Answer();
    return Answer{.roots = {MerkleRoot(leaves)}, .columns = leaves.size(), .leaf = {}, .header = {}};
  };
  return Dispute(Wide(), asserter.opening(), reply, -1);
}

TEST(Enemies, AnExpansionHasTheColumnsOfItsElement) {
  for (const bool others : {false, true}) {
    for (const int more : {-1, 1, 5, 1000}) {
      const std::string end = Expanded([&](std::vector<Digest>& leaves) {
        if (others) std::ranges::fill(leaves, MerkleLeafHash(Junk()));
        leaves.resize(static_cast<size_t>(static_cast<int64_t>(leaves.size()) + more), leaves.back());
      });
      EXPECT_EQ(end, "asserter: convicted") << more << " columns more";
    }
  }
  EXPECT_EQ(Expanded([](std::vector<Digest>& leaves) { leaves.clear(); }), "asserter: convicted");
}

TEST(Enemies, ColumnsThatDoNotExistCannotBeShown) {
  EXPECT_EQ(Expanded([](std::vector<Digest>& leaves) { std::ranges::fill(leaves, Junk()); }),
            "asserter: dispute_time");
}

TEST(Enemies, HonestColumnsConvictTheFalseElement) {
  EXPECT_EQ(Claimed(
                WithAFalseElement(), [](DisputeOpening&) {}, -1),
            "asserter: convicted");
}

// -- A hostile challenger

// The queries that lead to an entry.
std::vector<Query> Towards(const HonestRun& honest, uint64_t entry) {
  TreePart part = {0, honest.run.trace.size()};
  std::vector<Query> queries = {{Subject::kTrace, part}};
  while (part.size > 1) {
    for (const TreePart& below : PartsBelow(part, kLevelsOfAnswer)) {
      if (below.first <= entry && entry < below.first + below.size) part = below;
    }
    queries.push_back({Subject::kTrace, part});
  }
  queries.push_back({Subject::kValue, {0, 1}});
  return queries;
}

// How many of these queries an honest asserter answers; the others are refused.
int Answered(const HonestRun& honest, const std::vector<Query>& queries) {
  Asserter asserter(*honest.claimed, honest.run);
  DisputeReferee referee = *honest.RefereeOf(asserter.opening());
  int answered = 0;
  for (const Query& query : queries) {
    if (!referee.Ask(query).ok()) continue;
    const auto answer = asserter.Reply(query);
    EXPECT_TRUE(answer.ok()) << "an honest asserter has no answer: " << answer.status();
    if (!answer.ok()) return -1;
    EXPECT_TRUE(referee.Answer(*answer).ok());
    EXPECT_FALSE(referee.end()) << "an honest answer loses";
    ++answered;
  }
  return answered;
}

TEST(Enemies, EveryElementHasAnAnswerAboutItsExpansion) {
  for (const HonestRun* honest : {&Wide(), &Plain()}) {
    for (uint64_t entry = 0; entry < honest->run.trace.size(); ++entry) {
      const auto elements = static_cast<uint64_t>(honest->run.values[entry].shape().num_elements());
      for (const uint64_t element :
           {uint64_t{0}, uint64_t{11}, uint64_t{12}, uint64_t{1'000'000}, uint64_t{1} << 63, ~uint64_t{0}}) {
        std::vector<Query> queries = Towards(*honest, entry);
        queries.push_back({Subject::kExpansion, {element, 1}});
        const int exists = element < elements ? 1 : 0;
        EXPECT_EQ(Answered(*honest, queries), static_cast<int>(queries.size()) - 1 + exists) << element;
      }
    }
  }
}

TEST(Enemies, QueriesOfOddSizesAreRefused) {
  std::vector<Query> queries = Towards(Wide(), 0);
  const int before = static_cast<int>(queries.size());
  for (int subject = 0; subject < 6; ++subject) {
    for (const uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{7}, ~uint64_t{0}}) {
      for (const uint64_t size : {uint64_t{0}, uint64_t{2}, ~uint64_t{0}})
        queries.push_back({static_cast<Subject>(subject), {first, size}});
    }
  }
  EXPECT_EQ(Answered(Wide(), queries), before);
}

TEST(Enemies, ADisputeIsNotBegunAgain) {
  std::vector<Query> queries = Towards(Wide(), 0);
  const int before = static_cast<int>(queries.size());
  for (int i = 0; i < 80; ++i) queries.push_back({Subject::kTrace, {0, Wide().run.trace.size()}});
  EXPECT_EQ(Answered(Wide(), queries), before);
}

// -- Certificates

TEST(Enemies, InventedColumnsConvictNobodyWhoHasNotSentThem) {
  const RecordedRun& run = Wide().run;
  AccusedRun parts(run);
  parts.Accuse(ValueName{ValueKind::kEntry, 0});
  const Prosecutor prosecutor = {
      *Wide().claimed, run, parts,
      CertificateHead(*Wide().claimed, run.claim, run.input_digests, run.result_digests)};
  Certificate c = *prosecutor.AccuseType({ValueKind::kEntry, 0});
  c.charge = Charge::kOrder;
  c.accused = {ValueKind::kColumn, 0};
  c.header.clear();
  c.columns = {
      .entry = 0, .element = 0, .columns = {.count = 77, .root = Junk(), .opened = {}, .siblings = {}}};
  const auto conviction = CheckCertificate<TrappingInt>(EncodeCertificate(c));
  ASSERT_TRUE(conviction.ok()) << conviction.status();
  EXPECT_TRUE(conviction->columns) << "it is about whoever has sent these columns";
  Asserter honest(*Wide().claimed, run);
  DisputeReferee referee = *Wide().RefereeOf(honest.opening());
  ASSERT_TRUE(referee.Convict(EncodeCertificate(c)).ok());
  EXPECT_EQ(referee.end()->loser, Party::kChallenger);
  EXPECT_EQ(ErrorLabel(referee.end()->why), "dispute_other");
}

TEST(Enemies, ACertificateIsOfThisClaim) {
  RecordedRun lie = Wide().run;
  lie.claim.gas += 1;
  const auto file =
      EncodeCertificate(CertificateHead(*Wide().claimed, lie.claim, lie.input_digests, lie.result_digests));
  Asserter honest(*Wide().claimed, Wide().run);
  DisputeReferee referee = *Wide().RefereeOf(honest.opening());
  ASSERT_TRUE(referee.Convict(file).ok());
  EXPECT_EQ(referee.end()->loser, Party::kChallenger);
  EXPECT_EQ(ErrorLabel(referee.end()->why), "dispute_other");
}

TEST(Enemies, MessagesOutOfTurnAreNotHeard) {
  Asserter asserter(*Wide().claimed, Wide().run);
  DisputeReferee referee = *Wide().RefereeOf(asserter.opening());
  const Query all = {Subject::kTrace, {0, Wide().run.trace.size()}};
  EXPECT_EQ(ErrorLabel(referee.Answer({})), "dispute_turn");
  ASSERT_TRUE(referee.Ask(all).ok());
  EXPECT_EQ(ErrorLabel(referee.Ask(all)), "dispute_turn");
  EXPECT_EQ(ErrorLabel(referee.Convict({})), "dispute_turn");
  ASSERT_TRUE(referee.Answer(*asserter.Reply(all)).ok());
  EXPECT_EQ(ErrorLabel(referee.Answer(*asserter.Reply(all))), "dispute_turn");
}

// -- Inputs and results

TEST(Enemies, InputsOutsideOfTheirTypesConvict) {
  for (const RecordedRun& lie :
       {Wide().With([](RecordedRun& r) {
          StoreElement(r.inputs[0].storage(), r.inputs[0].mutable_bytes().data(), 3, 101);
        }),
        Wide().With([](RecordedRun& r) { r.inputs[0] = Tensor::Copy(r.inputs[0].view(), Storage::kI32); })}) {
    const auto certificate = Convict(*Wide().claimed, Wide().run, lie);
    ASSERT_TRUE(certificate.ok() && *certificate) << certificate.status();
    EXPECT_EQ(Judged(**certificate), "convicted");
  }
}

TEST(Enemies, AClaimOfARunThatIsRefusedConvicts) {
  const RecordedRun lie = Wide().With([](RecordedRun& r) {
    StoreElement(r.inputs[0].storage(), r.inputs[0].mutable_bytes().data(), 3, 101);
  });
  const TensorView inputs[] = {lie.inputs[0].view()};
  HonestRun refused = HonestRun::Of("tally 1\nprofile core\nparam %0 \"x\" [1] in [0, 1]\nresult %0 \"y\"\n");
  refused.module = Wide().module;
  refused.claimed = std::make_unique<const ClaimedModule>(*Wide().module);
  refused.run = RecordedRun::Refused(*Wide().claimed, inputs, "input_interval");
  Asserter asserter(*Wide().claimed, lie);
  EXPECT_EQ(Dispute(refused, asserter.opening(), Honestly(asserter), kMostLeafBytes), "asserter: convicted");
}

TEST(Enemies, OneOfTwoEqualResultsMayNotBeAnother) {
  const RecordedRun lie = Plain().With([](RecordedRun& r) { Alter(r.results[1], 5, 1); });
  Asserter asserter(*Plain().claimed, lie);
  EXPECT_EQ(Dispute(Plain(), asserter.opening(), Honestly(asserter), kMostLeafBytes), "asserter: convicted");
}

}  // namespace
}  // namespace tally
