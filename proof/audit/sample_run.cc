#include "proof/audit/sample_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/convict.h"
#include "proof/labels.h"
#include "vm/call_path.h"
#include "vm/judgement.h"
#include "vm/labels.h"
#include "vm/trace_order.h"

namespace tally {
namespace {

class Sampler {
 public:
  Sampler(const ClaimedModule& claimed, const RecordedRun& run)
      : claimed_(claimed),
        run_(run),
        parts_(run),
        prosecutor_{claimed, run, parts_,
                    CertificateHead(claimed, run.claim, run.input_digests, run.result_digests)} {}

  // The evidence of what is wrong without a sample.
  absl::StatusOr<std::optional<Certificate>> AccuseWhole() {
    ASSIGN_OR_RETURN(auto of_claim, AccuseClaim(claimed_, run_, prosecutor_.head));
    if (of_claim) return of_claim;
    Dossier dossier(claimed_, run_);
    Referee<TrappingInt> referee(claimed_.module, dossier.committed(), dossier);
    const TraceOrder order(claimed_.module, dossier.committed(),
                           [&](const ValuePlace& flag) -> absl::StatusOr<bool> {
                             ASSIGN_OR_RETURN(const TrappingInt element, referee.ElementOf(flag, 0));
                             return element != TrappingInt(int64_t{0});
                           });
    std::optional<ValuePlace> next;
    ASSIGN_OR_RETURN(next, order.First());
    for (uint64_t number = 0; number <= run_.trace.size(); ++number) {
      const bool ends = number == run_.trace.size();
      if (ends != !next || (!ends && *next != PlaceOf(number))) return prosecutor_.AccuseOrder(number);
      if (ends) break;
      const TensorType& type =
          claimed_.module.functions()[FunctionAt(claimed_.module.module(), next->path)].types[next->id];
      if (!HasType(run_.values[number], type)) return AccuseType({ValueKind::kEntry, number});
      ASSIGN_OR_RETURN(next, order.After(PlaceOf(number)));
    }
    for (uint64_t i = 0; i < run_.results.size(); ++i) {
      if (!HasType(run_.results[i], claimed_.module.functions()[0].results[i]))
        return AccuseType({ValueKind::kResult, i});
    }
    return std::nullopt;
  }

  uint64_t elements() const {
    uint64_t count = 0;
    for (const auto* tensors : {&run_.values, &run_.results}) {
      for (const Tensor& tensor : *tensors) count += static_cast<uint64_t>(tensor.shape().num_elements());
    }
    return count;
  }

  // Whether element `place` of all is what it is computed to be.
  absl::StatusOr<bool> IsRight(uint64_t place) {
    const auto [name, element] = NameOf(place);
    Dossier dossier(claimed_, run_);
    Referee<TrappingInt> referee(claimed_.module, dossier.committed(), dossier);
    if (name.kind == ValueKind::kResult) {
      const ValuePlace of = {{}, claimed_.module.entry().results[name.index]};
      ASSIGN_OR_RETURN(const TrappingInt right, referee.ElementOf(of, element));
      return static_cast<int64_t>(right) == run_.results[name.index].view().at(element);
    }
    const int64_t claimed = run_.values[name.index].view().at(element);
    const absl::StatusOr<TrappingInt> judged = referee.Judge(PlaceOf(name.index), element);
    if (judged.ok()) return static_cast<int64_t>(*judged) == claimed;
    if (!HasLabel(judged.status(), label::judgement_size)) return judged.status();
    ASSIGN_OR_RETURN(const auto columns, Expand(claimed_, run_, name.index, static_cast<uint64_t>(element)));
    if (!columns) return judged.status();
    const TensorView last = columns->columns.back().view();
    return last.at(last.shape.num_elements() - 1) == claimed;
  }

  // The evidence against an element that is wrong; nothing where it needs an expansion.
  std::optional<Certificate> Accuse(uint64_t place) {
    const auto [name, element] = NameOf(place);
    parts_.Accuse(name);
    absl::StatusOr<Certificate> certificate = prosecutor_.AccuseElement(name, static_cast<uint64_t>(element));
    if (!certificate.ok()) return std::nullopt;
    return *std::move(certificate);
  }

 private:
  ValuePlace PlaceOf(uint64_t number) const { return {run_.trace[number].path, run_.trace[number].id}; }

  absl::StatusOr<std::optional<Certificate>> AccuseType(const ValueName& name) {
    parts_.Accuse(name);
    return prosecutor_.AccuseType(name);
  }

  std::pair<ValueName, int64_t> NameOf(uint64_t place) const {
    for (const auto& [kind, tensors] :
         {std::pair(ValueKind::kEntry, &run_.values), {ValueKind::kResult, &run_.results}}) {
      for (uint64_t i = 0; i < tensors->size(); ++i) {
        const auto count = static_cast<uint64_t>((*tensors)[i].shape().num_elements());
        if (place < count) return {{kind, i}, static_cast<int64_t>(place)};
        place -= count;
      }
    }
    return {};
  }

  const ClaimedModule& claimed_;
  const RecordedRun& run_;
  AccusedRun parts_;
  const Prosecutor prosecutor_;
};

}  // namespace

absl::StatusOr<SampledRun> SampleRun(const ClaimedModule& claimed, const RecordedRun& run, uint64_t count,
                                     std::mt19937_64& random) {
  if (run.claim.module != claimed.id)
    return MakeError(label::claim_module, "the run is claimed to be of another module");
  if (run.claim.bounds != claimed.bounds)
    return MakeError(label::dispute_bounds, "the claim names other bounds than the module has");
  if (run.claim.status != kRan)
    return MakeError(label::dispute_claim, "the claim is of a run that was refused: run its inputs again");
  Sampler sampler(claimed, run);
  SampledRun sampled;
  ASSIGN_OR_RETURN(sampled.certificate, sampler.AccuseWhole());
  sampled.wrong = sampled.certificate.has_value();
  if (sampled.wrong) return sampled;
  sampled.elements = sampler.elements();
  std::uniform_int_distribution<uint64_t> place(0, std::max<uint64_t>(sampled.elements, 1) - 1);
  while (sampled.judged < count && sampled.elements > 0 && !sampled.wrong) {
    const uint64_t drawn = place(random);
    ASSIGN_OR_RETURN(const bool is_right, sampler.IsRight(drawn));
    ++sampled.judged;
    if (is_right) continue;
    sampled.wrong = true;
    sampled.certificate = sampler.Accuse(drawn);
  }
  return sampled;
}

}  // namespace tally
