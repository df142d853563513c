#include "tests/disputes/party_runs.h"

#include <random>
#include <variant>

#include "base/error.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "proof/dispute/challenger.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

std::string EndOf(const DisputeEnd& end) {
  const std::string why = end.why.ok() ? "convicted" : std::string(ErrorLabel(end.why));
  return (end.loser == Party::kAsserter ? "asserter: " : "challenger: ") + why;
}

// Who has to move has nothing to say.
std::string EndByTime(DisputeReferee& referee) {
  referee.TimeOut();
  return EndOf(*referee.end());
}

}  // namespace

HonestRun HonestRun::Of(const std::string& text, uint64_t seed) {
  HonestRun honest;
  honest.module = std::make_shared<const ValidModule>(*Validate(*Assemble(text)));
  honest.claimed = std::make_unique<const ClaimedModule>(*honest.module);
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;
  for (const TensorType& param : honest.module->entry().params) {
    Tensor& x = inputs.emplace_back(param.shape, param.storage());
    const auto width = static_cast<uint64_t>(param.interval.hi - param.interval.lo + 1);
    for (int64_t i = 0; i < param.shape.num_elements(); ++i) {
      StoreElement(x.storage(), x.mutable_bytes().data(), i,
                   param.interval.lo + static_cast<int64_t>(random() % width));
    }
  }
  for (const Tensor& x : inputs) views.push_back(x.view());
  honest.run = *RecordedRun::Of(*honest.claimed, **MakePlan("reference", honest.module), views);
  return honest;
}

RecordedRun HonestRun::With(const std::function<void(RecordedRun&)>& change) const {
  RecordedRun altered = run;
  change(altered);
  altered.CommitToTensors();
  return altered;
}

absl::StatusOr<DisputeReferee> HonestRun::RefereeOf(const DisputeOpening& opening) const {
  return DisputeReferee::Of({opening.claim, claimed->bounds, std::nullopt}, opening);
}

void Alter(Tensor& tensor, int64_t element, int64_t by) {
  StoreElement(tensor.storage(), tensor.mutable_bytes().data(), element, tensor.view().at(element) + by);
}

std::string Dispute(const HonestRun& honest, const DisputeOpening& opening, const Reply& reply,
                    int64_t most_direct, const Watch& watch) {
  const auto sent = DecodeDisputeOpening(EncodeDisputeOpening(opening));
  if (!sent.ok()) return absl::StrCat("no opening: ", ErrorLabel(sent.status()));
  absl::StatusOr<DisputeReferee> referee = honest.RefereeOf(*sent);
  if (!referee.ok()) return absl::StrCat("no dispute: ", ErrorLabel(referee.status()));
  if (referee->end()) return EndOf(*referee->end());
  Challenger challenger(*honest.claimed, honest.run, *sent, most_direct);
  absl::StatusOr<Move> move = challenger.Begin();
  for (int queries = 0; move.ok(); ++queries) {
    if (std::holds_alternative<Agreement>(*move)) return "agreement";
    if (const auto* certificate = std::get_if<Certificate>(&*move)) {
      const std::vector<uint8_t> file = EncodeCertificate(*certificate);
      if (watch.certificate) watch.certificate(file);
      if (!referee->Convict(file).ok()) return "not judged";
      return EndOf(*referee->end());
    }
    if (queries == kMostQueries) return "without end";
    const auto query = DecodeQuery(EncodeQuery(std::get<Query>(*move)));
    if (!query.ok() || !referee->Ask(*query).ok()) return "an honest query is refused";
    const absl::StatusOr<Answer> answer = reply(*query);
    if (!answer.ok()) return EndByTime(*referee);
    const auto heard = DecodeAnswer(EncodeAnswer(*answer));
    if (!heard.ok()) return EndByTime(*referee);
    if (watch.answer) watch.answer(*referee, *query, *heard);
    if (!referee->Answer(*heard).ok()) return "an answer out of turn";
    if (referee->end()) return EndOf(*referee->end());
    move = challenger.Hear(*heard);
  }
  return absl::StrCat("the challenger gives up: ", std::string(move.status().message()));
}

}  // namespace tally
