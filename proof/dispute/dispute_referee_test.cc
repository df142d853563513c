#include "proof/dispute/dispute_referee.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "proof/dispute/asserter.h"
#include "proof/dispute/challenger.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// x is sorted, then negated twice over: a trace of three values of 30 leaves each.
constexpr const char* kModule =
    "tally 1\nprofile core\nparam %0 \"x\" [30000] in [-100, 100]\n"
    "%1 = sort %0 {axis = 0, descending = false}\n%2 = elemwise_add %1, %1\n%3 = elemwise_add %2, %2\n"
    "result %3 \"y\"\n";

DisputeReferee RefereeOf(const ClaimedModule& claimed, const DisputeOpening& opening) {
  return *DisputeReferee::Of({opening.claim, claimed.bounds, std::nullopt}, opening);
}

class DisputeRefereeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto valid = Validate(*Assemble(kModule));
    ASSERT_TRUE(valid.ok()) << valid.status();
    module_ = std::make_shared<const ValidModule>(*std::move(valid));
    claimed_ = std::make_unique<const ClaimedModule>(*module_);
    Tensor x(*Shape::Create({30000}), Storage::kI8);
    for (int64_t i = 0; i < 30000; ++i)
      StoreElement(Storage::kI8, x.mutable_bytes().data(), i, i * 7919 % 201 - 100);
    const TensorView inputs[] = {x.view()};
    honest_ = *RecordedRun::Of(*claimed_, **MakePlan("cpu", module_), inputs);
    accused_ = honest_;
    accused_.values[0].mutable_bytes()[12345] ^= 1;
    accused_.CommitToTensors();
    asserter_ = std::make_unique<Asserter>(*claimed_, accused_);
    referee_ = std::make_unique<DisputeReferee>(RefereeOf(*claimed_, asserter_->opening()));
    challenger_ = std::make_unique<Challenger>(*claimed_, honest_, asserter_->opening());
    move_ = *challenger_->Begin();
  }

  // Plays so many rounds; the last query is asked and not answered.
  Query Ask(int rounds) {
    for (int i = 0;; ++i) {
      const Query query = std::get<Query>(move_);
      EXPECT_TRUE(referee_->Ask(query).ok());
      if (i == rounds) return query;
      const Answer answer = *asserter_->Reply(query);
      EXPECT_TRUE(referee_->Answer(answer).ok());
      move_ = *challenger_->Hear(answer);
    }
  }

  std::string LoserOf(const Answer& answer) {
    EXPECT_TRUE(referee_->Answer(answer).ok());
    if (!referee_->end()) return "nobody";
    return (referee_->end()->loser == Party::kAsserter ? "asserter " : "challenger ") +
           ErrorLabel(referee_->end()->why);
  }

  std::shared_ptr<const ValidModule> module_;
  std::unique_ptr<const ClaimedModule> claimed_;
  RecordedRun honest_, accused_;
  std::unique_ptr<Asserter> asserter_;
  std::unique_ptr<DisputeReferee> referee_;
  std::unique_ptr<Challenger> challenger_;
  Move move_;
};

TEST_F(DisputeRefereeTest, AnAnswerThatIsNotCommittedToLoses) {
  Answer answer = *asserter_->Reply(Ask(0));
  answer.roots[0][0] ^= 1;
  EXPECT_EQ(LoserOf(answer), "asserter dispute_answer");
  EXPECT_EQ(ErrorLabel(referee_->Ask(Query())), "dispute_turn") << "it is over";
}

TEST_F(DisputeRefereeTest, AnAnswerWithTooFewPartsLoses) {
  Answer answer = *asserter_->Reply(Ask(0));
  answer.roots.pop_back();
  EXPECT_EQ(LoserOf(answer), "asserter dispute_answer");
}

TEST_F(DisputeRefereeTest, AnotherEntryOrHeaderLoses) {
  Answer answer = *asserter_->Reply(Ask(1));
  ASSERT_FALSE(answer.leaf.empty());
  answer.header.back() ^= 1;
  EXPECT_EQ(LoserOf(answer), "asserter dispute_answer");
}

TEST_F(DisputeRefereeTest, AnotherLeafLoses) {
  const Query query = Ask(4);
  ASSERT_EQ(query.subject, Subject::kValue);
  ASSERT_EQ(query.part.size, 1u);
  Answer answer = *asserter_->Reply(query);
  answer.leaf[0] ^= 1;
  EXPECT_EQ(LoserOf(answer), "asserter dispute_answer");
}

TEST_F(DisputeRefereeTest, WhoDoesNotMoveInTimeLoses) {
  EXPECT_EQ(referee_->turn(), Party::kChallenger);
  Ask(2);
  EXPECT_EQ(referee_->turn(), Party::kAsserter);
  referee_->TimeOut();
  EXPECT_EQ(referee_->end()->loser, Party::kAsserter);
  EXPECT_EQ(ErrorLabel(referee_->end()->why), "dispute_time");
}

TEST_F(DisputeRefereeTest, MessagesOutOfTurnCountAsNotSent) {
  EXPECT_EQ(ErrorLabel(referee_->Answer({})), "dispute_turn");
  const Query query = Ask(1);
  EXPECT_EQ(ErrorLabel(referee_->Ask(query)), "dispute_turn");
  EXPECT_EQ(ErrorLabel(referee_->Convict({})), "dispute_turn");
  EXPECT_FALSE(referee_->end());
}

TEST_F(DisputeRefereeTest, NobodyIsAskedAboutWhatHasNotBeenShown) {
  for (const Query& query : {Query{Subject::kTrace, {0, 2}}, Query{Subject::kTrace, {0, 0}},
                             Query{Subject::kValue, {0, 30}}, Query{Subject::kColumns, {0, 1}},
                             Query{Subject::kExpansion, {0, 1}}, Query{Subject::kResult, {1, 1}}}) {
    EXPECT_EQ(ErrorLabel(referee_->Ask(query)), "dispute_query");
    EXPECT_EQ(referee_->turn(), Party::kChallenger);
  }
}

TEST_F(DisputeRefereeTest, NothingIsAskedTwice) {
  const Query all = std::get<Query>(move_);
  ASSERT_TRUE(referee_->Ask(all).ok());
  ASSERT_TRUE(referee_->Answer(*asserter_->Reply(all)).ok());
  EXPECT_EQ(ErrorLabel(referee_->Ask(all)), "dispute_query");
  EXPECT_EQ(ErrorLabel(referee_->Ask({Subject::kResult, {0, 1}})), "dispute_query");
  EXPECT_TRUE(referee_->Ask({Subject::kTrace, {1, 1}}).ok());
}

TEST_F(DisputeRefereeTest, AnAnswerHasNothingElse) {
  const Answer right = *asserter_->Reply(Ask(0));
  const auto with = [&](auto change) {
    Answer answer = right;
    change(answer);
    DisputeReferee referee = *referee_;
    EXPECT_TRUE(referee.Answer(answer).ok());
    return referee.end() ? ErrorLabel(referee.end()->why) : "";
  };
  EXPECT_EQ(with([](Answer&) {}), "");
  EXPECT_EQ(with([](Answer& a) { a.columns = 1; }), "dispute_answer");
  EXPECT_EQ(with([](Answer& a) { a.leaf = {0}; }), "dispute_answer");
  EXPECT_EQ(with([](Answer& a) { a.header = {0}; }), "dispute_answer");
}

TEST_F(DisputeRefereeTest, AClaimOfARefusedRunIsNotDisputed) {
  DisputeOpening opening = asserter_->opening();
  opening.claim.status = "input_interval";
  opening.claim.results.reset();
  const auto referee = DisputeReferee::Of({opening.claim, claimed_->bounds, std::nullopt}, opening);
  EXPECT_EQ(ErrorLabel(referee.status()), "dispute_claim");
}

TEST_F(DisputeRefereeTest, OnlyACertificateAgainstTheAsserterConvictsIt) {
  const auto why_not = [&](RecordedRun another) {
    another.CommitToTensors();
    const auto certificate = Convict(*claimed_, honest_, another);
    EXPECT_TRUE(certificate.ok() && *certificate);
    DisputeReferee referee = RefereeOf(*claimed_, asserter_->opening());
    EXPECT_TRUE(referee.Convict(EncodeCertificate(**certificate)).ok());
    EXPECT_EQ(referee.end()->loser, Party::kChallenger);
    return ErrorLabel(referee.end()->why);
  };
  RecordedRun of_another_claim = accused_;  // with the same trace
  of_another_claim.results[0].mutable_bytes()[0] ^= 1;
  EXPECT_EQ(why_not(of_another_claim), "dispute_other");
  RecordedRun of_another_trace = honest_;  // with the same claim
  of_another_trace.values[1].mutable_bytes()[7] ^= 1;
  EXPECT_EQ(why_not(of_another_trace), "dispute_other");
}

TEST_F(DisputeRefereeTest, AnExpansionConvictsOnlyWhoHasSentIt) {
  // The last column that a forger makes for the accused, with a commitment of its own.
  const auto columns = Expand(*claimed_, honest_, 0, 12345);
  ASSERT_TRUE(columns.ok() && *columns);
  Challenger challenger(*claimed_, honest_, asserter_->opening(), -1);
  DisputeReferee another = RefereeOf(*claimed_, asserter_->opening());
  Move move = *challenger.Begin();
  Asserter asserter(*claimed_, accused_);
  while (const Query* query = std::get_if<Query>(&move)) {
    ASSERT_TRUE(another.Ask(*query).ok());
    const Answer answer = *asserter.Reply(*query);
    ASSERT_TRUE(another.Answer(answer).ok());
    move = *challenger.Hear(answer);
  }
  const std::vector<uint8_t> certificate = EncodeCertificate(std::get<Certificate>(move));
  // To a referee that has seen no expansion it is somebody else's.
  ASSERT_TRUE(referee_->Convict(certificate).ok());
  EXPECT_EQ(ErrorLabel(referee_->end()->why), "dispute_other");
  ASSERT_TRUE(another.Convict(certificate).ok());
  EXPECT_EQ(another.end()->loser, Party::kAsserter);
}

TEST_F(DisputeRefereeTest, ACertificateThatConvictsNobodyLoses) {
  ASSERT_TRUE(referee_->Convict({}).ok());
  EXPECT_EQ(referee_->end()->loser, Party::kChallenger);
}

}  // namespace
}  // namespace tally
