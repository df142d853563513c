// The protocol of disputes, by exhaustion: every opening, query, answer and certificate over small alphabets
// of wrong values, about tiny modules, to the end (docs/spec/dispute.md#why-the-honest-party-wins):
//
// - an honest challenger of a false claim wins, whatever is answered;
// - an honest asserter loses to no queries and no certificates;
// - no message makes a party or the referee do anything but refuse it, and no dispute has more queries than
//   it may.
//
// Liars tell one lie or two at once; bazel test //tests/disputes:model_test --test_arg=--more=1 has one more,
// and takes some minutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/asserter.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"
#include "tests/disputes/any_moves.h"
#include "tests/disputes/lies.h"
#include "tests/disputes/party_runs.h"
#include "tests/disputes/tiny_modules.h"

namespace tally {
namespace {

int more_lies = 0;

class Model : public testing::TestWithParam<TinyModule> {
 protected:
  int lies() const { return GetParam().lies + more_lies; }
  const HonestRun honest_ = HonestRun::Of(GetParam().text);
};

// Whoever answers anything else than what is committed to has lost. An expansion is committed to by its
// answer.
void TryOthers(const DisputeReferee& before, const Query& query, const Answer& answer, int* tried) {
  DisputeReferee heard = before;
  ASSERT_TRUE(heard.Answer(answer).ok());
  if (heard.end()) return;
  for (const Answer& other : OtherAnswers(answer)) {
    DisputeReferee referee = before;
    ASSERT_TRUE(referee.Answer(other).ok());
    ++*tried;
    const bool commits = query.subject == Subject::kExpansion && other.leaf.empty() && other.header.empty() &&
                         other.roots.size() == (other.columns == 0 ? 0 : 1);
    ASSERT_EQ(referee.end().has_value(), !commits) << NameOf(query.subject);
    if (!commits) {
      ASSERT_EQ(referee.end()->loser, Party::kAsserter);
    }
  }
}

TEST_P(Model, AnHonestChallengerOfAFalseClaimWins) {
  const Lies lies(honest_);
  int disputes = 0, answers = 0;
  const DisputeOpening& right = lies.honest().opening;
  lies.ForEach(this->lies(), [&](const Liar& liar, const std::string& what) {
    if (testing::Test::HasFatalFailure()) return;
    for (const int64_t most_direct : {kMostLeafBytes, int64_t{-1}}) {
      LyingAsserter asserter(liar);
      const auto reply = [&](const Query& query) { return asserter.Reply(query); };
      const Watch watch = {
          .answer = [&](const DisputeReferee& referee, const Query& query,
                        const Answer& answer) { TryOthers(referee, query, answer, &answers); },
          .certificate = nullptr};
      const std::string end = Dispute(honest_, liar.opening, reply, most_direct, watch);
      ++disputes;
      if (liar.opening == right) {
        ASSERT_EQ(end, "agreement") << what;
      } else {
        ASSERT_TRUE(end.starts_with("asserter: ")) << what << end;
      }
    }
  });
  std::cout << lies.count() << " lies, " << disputes << " disputes, " << answers << " answers beside them\n";
}

// -- An honest asserter

class AnyChallenger {
 public:
  AnyChallenger(const HonestRun& honest, Files files)
      : honest_(honest), files_(std::move(files)), queries_(AllQueries(honest)) {}

  // All that a challenger can do after these queries, which an honest asserter has answered.
  void From(const DisputeReferee& referee, const std::vector<Query>& asked) {
    ++states_;
    ASSERT_LE(asked.size(), static_cast<size_t>(kMostQueries));
    for (const auto& file : files_) {
      DisputeReferee judged = referee;
      ASSERT_TRUE(judged.Convict(file).ok());
      ASSERT_EQ(judged.end()->loser, Party::kChallenger) << judged.end()->conviction->what;
    }
    for (const Query& query : queries_) {
      DisputeReferee next = referee;
      if (!next.Ask(query).ok()) {
        ASSERT_EQ(next.turn(), Party::kChallenger);
        ASSERT_FALSE(next.end());
        continue;
      }
      const absl::StatusOr<Answer> answer = Reply(asked, query);
      ASSERT_TRUE(answer.ok()) << NameOf(query.subject) << " has no answer: " << answer.status();
      ASSERT_LE(EncodeAnswer(*answer).size(), 2048u);
      ASSERT_TRUE(next.Answer(*answer).ok());
      ASSERT_FALSE(next.end()) << NameOf(query.subject) << ": " << next.end()->why;
      std::vector<Query> more = asked;
      more.push_back(query);
      ASSERT_NO_FATAL_FAILURE(From(next, more));
    }
  }
  int states() const { return states_; }

 private:
  // The answer of an asserter that has been asked these.
  absl::StatusOr<Answer> Reply(const std::vector<Query>& asked, const Query& query) const {
    Asserter asserter(*honest_.claimed, honest_.run);
    for (const Query& before : asked) (void)asserter.Reply(before);
    return asserter.Reply(query);
  }

  const HonestRun& honest_;
  const Files files_;
  const std::vector<Query> queries_;
  int states_ = 0;
};

TEST_P(Model, AnHonestAsserterLosesToNobody) {
  Asserter asserter(*honest_.claimed, honest_.run);
  const Files files = AllCertificates(honest_);
  AnyChallenger any(honest_, files);
  any.From(*honest_.RefereeOf(asserter.opening()), {});
  std::cout << any.states() << " states, " << files.size() << " certificates in each\n";
}

// Neither is honest: any query is answered by any liar, and the dispute comes to an end.
void AskALiar(const DisputeReferee& referee, const LyingAsserter& liar, const std::vector<Query>& queries,
              int depth, int* states) {
  ++*states;
  ASSERT_LE(depth, kMostQueries);
  for (const Query& query : queries) {
    DisputeReferee next = referee;
    if (!next.Ask(query).ok()) continue;
    LyingAsserter asserter = liar;
    const auto answer = asserter.Reply(query);
    if (!answer.ok()) continue;
    ASSERT_TRUE(next.Answer(*answer).ok());
    if (next.end()) continue;
    ASSERT_NO_FATAL_FAILURE(AskALiar(next, asserter, queries, depth + 1, states));
  }
}

TEST_P(Model, TwoLiarsComeToAnEnd) {
  int states = 0;
  const std::vector<Query> queries = AllQueries(honest_);
  Lies(honest_).ForEach(1, [&](const Liar& liar, const std::string& what) {
    if (testing::Test::HasFatalFailure()) return;
    const auto referee = honest_.RefereeOf(liar.opening);
    ASSERT_TRUE(referee.ok()) << what;
    if (!referee->end()) AskALiar(*referee, LyingAsserter(liar), queries, 0, &states);
  });
  std::cout << states << " states\n";
}

INSTANTIATE_TEST_SUITE_P(Modules, Model, testing::ValuesIn(kTinyModules),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kMore = "--more=";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kMore)) tally::more_lies = std::atoi(argv[i] + kMore.size());
  }
  return RUN_ALL_TESTS();
}
