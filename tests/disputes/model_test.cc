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
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/asserter.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"
#include "tests/disputes/lies.h"
#include "tests/disputes/party_runs.h"

namespace tally {
namespace {

int more_lies = 0;

struct TinyModule {
  const char* name;
  const char* text;
  int lies;  // at once
};

constexpr TinyModule kModules[] = {
    {"Wide",
     "param %0 \"x\" [2, 3] in [-9, 9]\n%1 = constant i8 [2, 3] {1, 2, 3, -1, -2, -3}\n%2 = dense %0, %1\n"
     "%3 = relu %2\n%4 = sort %3 {axis = 1, descending = false}\nresult %3 \"y\"\nresult %4 \"z\"\n",
     2},
    {"Loop",
     "param %0 \"c\" [] in [0, 1]\nparam %1 \"x\" [2] in [0, 9]\n"
     "%2, %3 = loop %0, %1 {body = 1, trips = 3, states = 1, scanned = 0, condition = true}\n"
     "result %2 \"y\"\nresult %3 \"n\"\n"
     "function 1\nparam %0 [] in [0, 2]\nparam %1 [2] in [0, 9]\n"
     "%2 = clip %0 {a_min = 0, a_max = 1}\n%3 = clip %1 {a_min = 1, a_max = 9}\nresult %2\nresult %3\n",
     1},
    {"Branches",
     "param %0 \"x\" [2] in [-9, 9]\nparam %1 \"c\" [] in [0, 1]\n"
     "%2 = if %1, %0 {then_function = 1, else_function = 2}\nresult %2 \"y\"\n"
     "function 1\nparam %0 [2] in [-9, 9]\n%1 = elemwise_add %0, %0\nresult %1\n"
     "function 2\nparam %0 [2] in [-9, 9]\n%1 = negative %0\nresult %1\n",
     1},
    {"WithoutEntries", "param %0 \"x\" [2] in [-9, 9]\nresult %0 \"y\"\nresult %0 \"z\"\n", 2},
    {"OfSeveralLeaves", "param %0 \"x\" [3, 1024] in [-9, 9]\n%1 = relu %0\nresult %1 \"y\"\n", 1},
    {"OfAKernelOfOneInItsPadding",
     "param %0 \"x\" [1, 1, 1, 1] in [-9, 9]\n%1 = constant i8 [1, 1, 1, 1] {3}\n"
     "%2 = conv2d %0, %1 {padding = [1, 1], stride = [1, 1], dilation = [1, 1], groups = 1}\nresult %2 "
     "\"y\"\n",
     1},
};

class Model : public testing::TestWithParam<TinyModule> {
 protected:
  int lies() const { return GetParam().lies + more_lies; }
  const HonestRun honest_ = HonestRun::Of(std::string("tally 1\nprofile core\n") + GetParam().text);
};

// Answers like this one, each other than it.
std::vector<Answer> OtherAnswers(const Answer& answer) {
  std::vector<Answer> others;
  const auto with = [&](auto change) {
    Answer other = answer;
    change(other);
    if (!(other == answer)) others.push_back(std::move(other));
  };
  with([](Answer& a) { a = Answer(); });
  with([](Answer& a) { a.roots.emplace_back(); });
  with([](Answer& a) { a.roots.resize(17); });
  with([](Answer& a) {
    if (!a.roots.empty()) a.roots.pop_back();
  });
  with([](Answer& a) {
    if (!a.roots.empty()) a.roots.front()[0] ^= 1;
  });
  with([](Answer& a) { a.columns += 1; });
  with([](Answer& a) { a.leaf.push_back(0); });
  with([](Answer& a) {
    if (!a.leaf.empty()) a.leaf.pop_back();
  });
  with([](Answer& a) { a.leaf.resize(100'000); });
  with([](Answer& a) { a.header.push_back(0); });
  with([](Answer& a) { a.header.clear(); });
  with([](Answer& a) { a.header.resize(100'000); });
  return others;
}

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

// -- Certificates against somebody who is honest

using Files = std::set<std::vector<uint8_t>>;

// The same with what the honest claim has in its place.
void AddAgainst(const HonestRun& honest, Certificate certificate, Files* files) {
  files->insert(EncodeCertificate(certificate));
  certificate.claim = honest.run.claim;
  certificate.inputs = honest.run.input_digests;
  certificate.results = honest.run.result_digests;
  files->insert(EncodeCertificate(certificate));
  Liar right = Lies(honest).honest();
  if (certificate.trace) {
    certificate.trace->count = right.opening.entries;
    certificate.trace->root = right.opening.trace_root;
  }
  files->insert(EncodeCertificate(certificate));
}

// The same charge with columns that nobody has sent.
void AddColumns(const HonestRun& honest, const Certificate& certificate, Files* files) {
  for (uint64_t entry = 0; entry < honest.run.trace.size(); ++entry) {
    for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{3}, ~uint64_t{0}}) {
      Certificate with = certificate;
      with.columns = {.entry = entry,
                      .element = 0,
                      .columns = {.count = count, .root = MerkleRoot({}), .opened = {}, .siblings = {}}};
      files->insert(EncodeCertificate(with));
      with.charge = Charge::kOrder;
      with.accused = {ValueKind::kColumn, 0};
      with.header.clear();
      files->insert(EncodeCertificate(with));
    }
  }
}

// All charges against all parts of the honest run.
void AddCharges(const HonestRun& honest, Files* files) {
  const RecordedRun& run = honest.run;
  AccusedRun parts(run);
  const Prosecutor prosecutor = {
      *honest.claimed, run, parts,
      CertificateHead(*honest.claimed, run.claim, run.input_digests, run.result_digests)};
  const auto add = [&](const absl::StatusOr<Certificate>& certificate) {
    if (!certificate.ok()) return;
    files->insert(EncodeCertificate(*certificate));
    if (certificate->trace) AddColumns(honest, *certificate, files);
  };
  add(prosecutor.head);
  for (uint64_t entry = 0; entry <= run.trace.size(); ++entry) add(prosecutor.AccuseOrder(entry));
  const std::pair<ValueKind, const std::vector<Tensor>*> kinds[] = {
      {ValueKind::kInput, &run.inputs}, {ValueKind::kResult, &run.results}, {ValueKind::kEntry, &run.values}};
  for (const auto& [kind, tensors] : kinds) {
    for (uint64_t i = 0; i < tensors->size(); ++i) {
      parts.Accuse(ValueName{kind, i});
      add(prosecutor.AccuseType({kind, i}));
      const auto elements = static_cast<uint64_t>((*tensors)[i].shape().num_elements());
      for (uint64_t e = 0; e < std::min<uint64_t>(elements, 4); ++e) {
        add(prosecutor.AccuseElement({kind, i}, e));
        add(prosecutor.AccuseLeaf({kind, i}, e));
      }
    }
  }
}

Files AllCertificates(const HonestRun& honest) {
  Files files = {{}, {0xff}, std::vector<uint8_t>(kMaxCertificateBytes + 1)};
  AddCharges(honest, &files);
  Lies(honest).ForEach(1, [&](const Liar& liar, const std::string&) {
    for (const int64_t most_direct : {kMostLeafBytes, int64_t{-1}}) {
      LyingAsserter asserter(liar);
      const auto add = [&](const std::vector<uint8_t>& file) {
        AddAgainst(honest, *DecodeCertificate(file), &files);
      };
      Dispute(honest, liar.opening, [&](const Query& query) { return asserter.Reply(query); }, most_direct,
              {.answer = nullptr, .certificate = add});
    }
  });
  return files;
}

// -- Queries

std::vector<Query> AllQueries(const HonestRun& honest) {
  std::set<uint64_t> numbers = {0, 1, 2, 3, 5, 6, 1024, uint64_t{1} << 63, ~uint64_t{0}};
  numbers.insert(honest.run.trace.size());
  std::vector<Query> queries;
  for (int subject = 0; subject < 6; ++subject) {
    for (const uint64_t first : numbers) {
      for (const uint64_t size : numbers) queries.push_back({static_cast<Subject>(subject), {first, size}});
    }
  }
  return queries;
}

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

INSTANTIATE_TEST_SUITE_P(Modules, Model, testing::ValuesIn(kModules),
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
