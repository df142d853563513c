// Disputes with liars about tiny modules, message by message, as lines of JSON; and messages that are tried
// on the way, with the referee's word on each. The contract has to say the same.
//
//   write_disputes lies COUNT      liars that tell at most so many lies at once
//   write_disputes network NAME    one of bench/models: an element is altered in three of its values
//   write_disputes honest COUNT    so many walks of any queries for each module, which an honest asserter answers
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash/digest.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "ops/read_set.h"
#include "proof/certificate/convict.h"
#include "proof/certificate/recipe_tables.h"
#include "proof/dispute/asserter.h"
#include "proof/dispute/play.h"
#include "serializer/tensor_digest.h"
#include "tests/disputes/any_moves.h"
#include "tests/disputes/lies.h"
#include "tests/disputes/party_runs.h"
#include "tests/disputes/tiny_modules.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr const char* kGoesOn = "ok";
constexpr size_t kOthers = 3;
constexpr size_t kMostTried = 10'000;  // bytes of a message

std::string Label(const absl::Status& status) {
  return status.ok() ? kGoesOn : std::string(ErrorLabel(status));
}

// Messages as they are sent, and each spoilt in a few ways.
template <typename T, typename Encode>
std::vector<Bytes> Sent(const std::vector<T>& messages, Encode encode) {
  std::vector<Bytes> sent;
  for (const T& message : messages) sent.push_back(encode(message));
  const Bytes first = sent.front();
  for (const auto change :
       {+[](Bytes& b) { b.pop_back(); }, +[](Bytes& b) { b.push_back(0); }, +[](Bytes& b) { b.clear(); },
        +[](Bytes& b) { b[0] ^= 1; }, +[](Bytes& b) { b[1] = 0x18; }, +[](Bytes& b) { b[2] = 2; },
        +[](Bytes& b) { b[b.size() / 2] ^= 0x20; }}) {
    sent.push_back(first);
    change(sent.back());
  }
  return sent;
}

std::vector<Query> QueriesLike(const Query& query) {
  std::vector<Query> queries = {query};
  for (int subject = 0; subject <= static_cast<int>(Subject::kColumn); ++subject) {
    for (const TreePart& part : {TreePart{0, 1}, TreePart{1, 1}, TreePart{0, 2}, TreePart{2, 1},
                                 TreePart{0, 0}, TreePart{1, 2}, TreePart{0, uint64_t{1} << 63}, query.part})
      queries.push_back({static_cast<Subject>(subject), part});
  }
  return queries;
}

// Writes down each message, and what the referee of its dispute says of it.
class Record {
 public:
  explicit Record(const HonestRun& honest) : honest_(honest) {}

  // Error dispute_message and the like, where it is no query.
  static std::string SaysOfQuery(DisputeReferee referee, std::span<const uint8_t> message) {
    const auto query = DecodeQuery(message);
    return Label(query.ok() ? referee.Ask(*query) : query.status());
  }

  static std::string SaysOfAnswer(DisputeReferee referee, std::span<const uint8_t> message) {
    const auto answer = DecodeAnswer(message);
    if (!answer.ok()) return Label(answer.status());
    const absl::Status heard = referee.Answer(*answer);
    return heard.ok() && referee.end() ? "lost" : Label(heard);
  }

  static std::string SaysOfCertificate(DisputeReferee referee, std::span<const uint8_t> certificate) {
    const absl::Status judged = referee.Convict(certificate);
    if (!judged.ok()) return Label(judged);
    return referee.end()->conviction ? "lost" : Label(referee.end()->why);
  }

  // The dispute of an honest challenger with a liar.
  void Play(const std::string& name, const Liar& liar, int64_t most_direct) {
    auto referee = Begin(liar.opening);
    LyingAsserter asserter(liar);
    Dispute(honest_, liar.opening, [&](const Query& query) { return asserter.Reply(query); }, most_direct,
            {.answer = [&](const auto& asked, const Query& query,
                           const Answer& answer) { Hear(*referee, asked, query, answer); },
             .certificate =
                 [&](const Bytes& file) {
                   // Those of other disputes convict the others.
                   for (const Bytes& other : certificates_)
                     Add("convict", other, SaysOfCertificate(*referee, other), false);
                   Add("convict", file, SaysOfCertificate(*referee, file), true);
                   certificates_.push_back(file);
                   if (certificates_.size() > kOthers) certificates_.erase(certificates_.begin());
                 }});
    Print(name);
  }

  // Any queries to an honest asserter, and then any certificate.
  void Walk(const std::string& name, const std::vector<Query>& queries, const Files& files,
            std::mt19937_64& random) {
    Asserter asserter(*honest_.claimed, honest_.run);
    auto referee = Begin(asserter.opening());
    while (random() % 8 != 0) {
      std::vector<Query> may;
      for (const Query& query : queries) {
        DisputeReferee next = *referee;
        if (next.Ask(query).ok()) may.push_back(query);
      }
      if (may.empty()) break;
      const Query query = may[random() % may.size()];
      DisputeReferee asked = *referee;
      (void)asked.Ask(query);
      Hear(*referee, asked, query, *asserter.Reply(query));
    }
    const Bytes file = *std::next(files.begin(), static_cast<std::ptrdiff_t>(random() % files.size()));
    Add("convict", file, SaysOfCertificate(*referee, file), true);
    Print(name);
  }

 private:
  // `before` has heard all but these two; it goes on to what has heard them.
  void Hear(DisputeReferee& before, const DisputeReferee& asked, const Query& query, const Answer& answer) {
    for (const Bytes& message : Sent(QueriesLike(query), EncodeQuery))
      Add("ask", message, SaysOfQuery(before, message), false);
    Add("answer", EncodeAnswer(answer), SaysOfAnswer(before, EncodeAnswer(answer)), false);
    Add("ask", EncodeQuery(query), kGoesOn, true);
    std::vector<Answer> answers = OtherAnswers(answer);
    answers.insert(answers.begin(), answer);
    for (const Bytes& message : Sent(answers, EncodeAnswer))
      Add("answer", message, SaysOfAnswer(asked, message), false);
    Add("ask", EncodeQuery(query), SaysOfQuery(asked, EncodeQuery(query)), false);
    Add("answer", EncodeAnswer(answer), SaysOfAnswer(asked, EncodeAnswer(answer)), true);
    before = asked;
    (void)before.Answer(answer);
  }

  absl::StatusOr<DisputeReferee> Begin(const DisputeOpening& opening) {
    steps_ = nlohmann::json::array();
    const Certificate head = CertificateHead(*honest_.claimed, honest_.run.claim, {}, {});
    line_ = {{"opening", ToHex(EncodeDisputeOpening(opening))},
             {"program", ToHex(head.program)},
             {"bounds", ToHex(head.bounds)}};
    auto referee = honest_.RefereeOf(opening);
    line_["begins"] = !referee.ok()    ? Label(referee.status())
                      : referee->end() ? Label(referee->end()->why)
                                       : kGoesOn;
    return referee;
  }

  void Print(const std::string& name) {
    line_["name"] = name;
    line_["steps"] = std::move(steps_);
    std::puts(line_.dump().c_str());
  }

  void Add(const char* turn, const Bytes& message, const std::string& says, bool goes_on) {
    if (message.size() > kMostTried && !goes_on) return;
    steps_.push_back({{"turn", turn}, {"message", ToHex(message)}, {"says", says}, {"goes_on", goes_on}});
  }

  const HonestRun& honest_;
  nlohmann::ordered_json line_;
  nlohmann::json steps_;
  std::vector<Bytes> certificates_;  // the last ones
};

void PrintLies(int lies) {
  for (const TinyModule& tiny : kTinyModules) {
    const HonestRun honest = HonestRun::Of(tiny.text);
    Record record(honest);
    Lies(honest).ForEach(lies, [&](const Liar& liar, const std::string& what) {
      for (const int64_t most_direct : {kMostLeafBytes, int64_t{-1}})
        record.Play(std::string(tiny.name) + ": " + what, liar, most_direct);
    });
  }
}

void PrintWalks(int count) {
  std::mt19937_64 random(1);
  for (const TinyModule& tiny : kTinyModules) {
    const HonestRun honest = HonestRun::Of(tiny.text);
    const std::vector<Query> queries = AllQueries(honest);
    Files files = AllCertificates(honest);
    std::erase_if(files, [](const auto& file) { return file.size() > kMostTried; });
    Record record(honest);
    for (int i = 0; i < count; ++i)
      record.Walk(std::string(tiny.name) + ": walk " + std::to_string(i), queries, files, random);
  }
}

// Only the messages that are sent.
void PrintNetwork(const std::string& name) {
  auto work = bench::BuildWork(name, {});
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(work->module)));
  const std::vector<Tensor> inputs = bench::RandomInputs(module->entry().params, 1);
  const ClaimedModule claimed(*module);
  const RecordedRun honest = *RecordedRun::Of(claimed, **MakePlan("cpu", module), ViewsOf(inputs));
  RecordedRun accused = honest;
  for (const size_t entry : {size_t{0}, honest.values.size() / 2, honest.values.size() - 1}) {
    Alter(accused.values[entry], accused.values[entry].shape().num_elements() / 2, 1);
    accused.trace[entry].value = ValueDigest(accused.values[entry].view());
    const PlayedDispute played = *PlayDispute(claimed, honest, accused);
    Certificate certificate = *DecodeCertificate(played.certificate);
    nlohmann::json steps = nlohmann::json::array();
    const auto add = [&](const char* turn, const Bytes& message, const char* says) {
      steps.push_back({{"turn", turn}, {"message", ToHex(message)}, {"says", says}, {"goes_on", true}});
    };
    for (const DisputeRound& round : played.rounds) {
      add("ask", EncodeQuery(round.query), kGoesOn);
      add("answer", EncodeAnswer(round.answer), kGoesOn);
    }
    const nlohmann::ordered_json line = {
        {"name", name + ", entry " + std::to_string(entry) + " of " + std::to_string(honest.values.size())},
        {"opening", ToHex(EncodeDisputeOpening(played.opening))},
        {"program", ToHex(std::exchange(certificate.program, {}))},
        {"bounds", ToHex(std::exchange(certificate.bounds, {}))},
        {"begins", kGoesOn},
        {"tables", ToHex(RecipeTables(certificate))}};
    add("convict", EncodeCertificate(certificate), "lost");
    auto complete = line;
    complete["steps"] = std::move(steps);
    std::puts(complete.dump().c_str());
    accused.values[entry] = honest.values[entry];
    accused.trace[entry] = honest.trace[entry];
  }
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what == "lies") {
    tally::PrintLies(std::atoi(argv[2]));
  } else if (what == "network") {
    tally::PrintNetwork(argv[2]);
  } else if (what == "honest") {
    tally::PrintWalks(std::atoi(argv[2]));
  } else {
    std::fprintf(stderr, "usage: write_disputes lies COUNT | network NAME | honest COUNT\n");
    return 2;
  }
  return 0;
}
