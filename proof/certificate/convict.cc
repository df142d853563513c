#include "proof/certificate/convict.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "proof/certificate/accused_run.h"
#include "proof/labels.h"
#include "proof/receipt/bounds.h"
#include "serializer/module_id.h"
#include "serializer/program.h"
#include "vm/element_steps.h"
#include "vm/judgement.h"
#include "vm/labels.h"
#include "vm/trace_order.h"

namespace tally {
namespace {

using Judge = Referee<TrappingInt>;

ValuePlace PlaceOf(const TraceEntry& entry) { return {entry.path, entry.id}; }

std::optional<uint64_t> FirstOutside(const Tensor& tensor, const Interval& interval) {
  for (int64_t i = 0; i < tensor.shape().num_elements(); ++i) {
    if (!interval.Contains(tensor.view().at(i))) return static_cast<uint64_t>(i);
  }
  return std::nullopt;
}

}  // namespace

bool HasType(const Tensor& tensor, const TensorType& type) {
  return tensor.shape() == type.shape && tensor.storage() == type.storage();
}

Certificate CertificateHead(const ClaimedModule& claimed, const Claim& claim, std::span<const Digest> inputs,
                            std::span<const Digest> results) {
  const Module& module = claimed.module.module();
  Certificate head;
  head.claim = claim;
  head.inputs.assign(inputs.begin(), inputs.end());
  head.results.assign(results.begin(), results.end());
  head.program = EncodeProgram(module, ConstantDigests(module), MetadataDigest(module));
  head.bounds = EncodeBounds(BoundsOf(claimed.module));
  return head;
}

std::optional<uint64_t> FirstDifference(const TensorView& a, const TensorView& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a.bytes, b.bytes);
  if (in_a == a.bytes.end()) return std::nullopt;
  return static_cast<uint64_t>((in_a - a.bytes.begin()) / SizeBytes(a.storage));
}

absl::StatusOr<Certificate> Prosecutor::AccuseOrder(uint64_t number) const {
  Dossier dossier(claimed, honest);
  Judge referee(claimed.module, dossier.committed(), dossier);
  const auto is_set = [&](const ValuePlace& flag) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const TrappingInt element, referee.ElementOf(flag, 0));
    return element != TrappingInt(int64_t{0});
  };
  const TraceOrder order(claimed.module, dossier.committed(), is_set);
  if (number > 0) {
    dossier.OpenEntry(number - 1);
    RETURN_IF_ERROR(order.After(PlaceOf(honest.trace[number - 1])).status());
  } else {
    RETURN_IF_ERROR(order.First().status());
  }
  Certificate certificate = head;
  certificate.charge = Charge::kOrder;
  certificate.accused = {ValueKind::kEntry, number};
  return dossier.Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseType(const ValueName& name) const {
  Certificate certificate = head;
  certificate.charge = Charge::kType;
  certificate.accused = name;
  certificate.header = accused.Header();
  return Dossier(claimed, honest).Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseElement(const ValueName& name, uint64_t element,
                                                      const HonestColumns* columns) const {
  Dossier dossier(claimed, honest, columns);
  Judge referee(claimed.module, dossier.committed(), dossier);
  const auto e = static_cast<int64_t>(element);
  if (name.kind == ValueKind::kResult) {
    const ValuePlace place = {{}, claimed.module.entry().results[name.index]};
    RETURN_IF_ERROR(referee.ElementOf(place, e).status());
  } else if (name.kind == ValueKind::kEntry) {
    const ValuePlace place = PlaceOf(honest.trace[name.index]);
    if (!dossier.Expanded(place, e)) RETURN_IF_ERROR(referee.Judge(place, e).status());
  }
  Certificate certificate = head;
  certificate.charge = Charge::kElement;
  certificate.accused = name;
  certificate.element = element;
  if (columns != nullptr) certificate.columns = {.entry = name.index, .element = element, .columns = {}};
  return dossier.Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseStep(uint64_t number, uint64_t element,
                                                   const HonestColumns& columns, uint64_t column,
                                                   uint64_t i) const {
  Dossier dossier(claimed, honest, &columns);
  Judge referee(claimed.module, dossier.committed(), dossier);
  RETURN_IF_ERROR(EndOf([&] {
                    const ElementSteps<TrappingInt> steps(referee, columns.part.place, columns.part.element);
                    return OrRefuse(steps.Judge(static_cast<int>(column), static_cast<int64_t>(i), dossier));
                  }).status());
  Certificate certificate = head;
  certificate.charge = Charge::kElement;
  certificate.accused = {ValueKind::kColumn, column};
  certificate.element = i;
  certificate.columns = {.entry = number, .element = element, .columns = {}};
  return dossier.Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseColumnType(uint64_t number, uint64_t element,
                                                         const HonestColumns& columns,
                                                         uint64_t column) const {
  Certificate certificate = head;
  certificate.charge = Charge::kType;
  certificate.accused = {ValueKind::kColumn, column};
  certificate.header = accused.Header();
  certificate.columns = {.entry = number, .element = element, .columns = {}};
  return Dossier(claimed, honest, &columns).Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseColumns(uint64_t number, uint64_t element) const {
  Certificate certificate = head;
  certificate.charge = Charge::kOrder;
  certificate.accused = {ValueKind::kColumn, 0};
  certificate.columns = {.entry = number, .element = element, .columns = {}};
  return Dossier(claimed, honest).Close(accused, std::move(certificate));
}

absl::StatusOr<Certificate> Prosecutor::AccuseLeaf(const ValueName& name, uint64_t element) const {
  Certificate certificate = head;
  certificate.charge = Charge::kElement;
  certificate.accused = name;
  certificate.element = element;
  return Dossier(claimed, honest).Close(accused, std::move(certificate));
}

absl::StatusOr<bool> IsJudgedDirectly(const ClaimedModule& claimed, const RecordedRun& honest,
                                      uint64_t number, uint64_t element, int64_t most_direct) {
  Dossier dossier(claimed, honest);
  Judge referee(claimed.module, dossier.committed(), dossier, kMostReads);
  const auto judged = referee.Judge(PlaceOf(honest.trace[number]), static_cast<int64_t>(element));
  if (HasLabel(judged.status(), label::judgement_size)) return false;
  RETURN_IF_ERROR(judged.status());
  return dossier.bytes() <= most_direct && dossier.recipe_entries() <= kMostRecipeEntries;
}

absl::StatusOr<std::optional<HonestColumns>> Expand(const ClaimedModule& claimed, const RecordedRun& honest,
                                                    uint64_t number, uint64_t element) {
  Dossier dossier(claimed, honest);
  const std::optional<WidePart> part = WidePartOf(
      claimed.module, dossier.committed(), PlaceOf(honest.trace[number]), static_cast<int64_t>(element));
  if (!part) return std::nullopt;
  Judge referee(claimed.module, dossier.committed(), dossier);
  absl::StatusOr<HonestColumns> expanded = EndOf([&] {
    const ElementSteps<TrappingInt> steps(referee, part->place, part->element);
    const Columns integers = OrRefuse(steps.Run());
    HonestColumns columns = {.part = *part, .columns = {}};
    for (size_t k = 0; k < integers.size(); ++k) {
      const Shape shape = OrRefuse(Shape::Create({std::ssize(integers[k])}));
      columns.columns.push_back(OrRefuse(Tensor::FromValues(shape, steps.columns()[k].storage, integers[k])));
    }
    return columns;
  });
  if (HasLabel(expanded.status(), label::expansion_size)) return std::nullopt;
  return expanded;
}

absl::StatusOr<std::optional<Certificate>> AccuseClaim(const ClaimedModule& claimed, const RecordedRun& run,
                                                       const Certificate& head) {
  const FunctionFacts& facts = claimed.module.functions()[0];
  if (head.claim.gas != static_cast<uint64_t>(claimed.module.gas()) ||
      head.inputs.size() != facts.params.size() || head.results.size() != facts.results.size()) {
    return head;  // charged with its claim
  }
  AccusedRun parts(run);
  const Prosecutor prosecutor = {claimed, run, parts, head};
  for (uint64_t i = 0; i < run.inputs.size(); ++i) {
    const ValueName name = {ValueKind::kInput, i};
    parts.Accuse(name);
    if (!HasType(run.inputs[i], facts.params[i])) return prosecutor.AccuseType(name);
    if (const auto element = FirstOutside(run.inputs[i], facts.params[i].interval))
      return prosecutor.AccuseElement(name, *element);
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<Certificate>> Convict(const ClaimedModule& claimed, const RecordedRun& honest,
                                                   const RecordedRun& accused) {
  if (accused.claim.module != claimed.id)
    return MakeError(label::claim_module, "the accused claims a run of another module");
  if (accused.claim.bounds != claimed.bounds)
    return MakeError(label::dispute_bounds, "the accused claims other bounds than the module has");
  if (accused.claim.status != kRan)
    return MakeError(label::dispute_claim,
                     "the accused claims that the run was refused: run its inputs again");
  AccusedRun parts(accused);
  const Prosecutor prosecutor = {
      claimed, honest, parts,
      CertificateHead(claimed, accused.claim, accused.input_digests, accused.result_digests)};
  ASSIGN_OR_RETURN(auto of_claim, AccuseClaim(claimed, accused, prosecutor.head));
  if (of_claim) return of_claim;
  if (accused.claim.inputs != honest.claim.inputs)
    return MakeError(label::claim_inputs, "the accused claims a run on other inputs");
  const FunctionFacts& facts = claimed.module.functions()[0];

  const auto [ours, theirs] = std::ranges::mismatch(honest.trace, accused.trace);
  const auto number = static_cast<uint64_t>(ours - honest.trace.begin());
  if (ours != honest.trace.end() || theirs != accused.trace.end()) {
    const bool both = ours != honest.trace.end() && theirs != accused.trace.end();
    if (!both || PlaceOf(*ours) != PlaceOf(*theirs)) return prosecutor.AccuseOrder(number);
    const ValueName name = {ValueKind::kEntry, number};
    parts.Accuse(name);
    const Tensor &right = honest.values[number], &claimed_value = accused.values[number];
    if (right.shape() != claimed_value.shape() || right.storage() != claimed_value.storage())
      return prosecutor.AccuseType(name);
    return prosecutor.AccuseElement(name, *FirstDifference(right.view(), claimed_value.view()));
  }
  for (uint64_t i = 0; i < accused.results.size(); ++i) {
    if (accused.result_digests[i] == honest.result_digests[i]) continue;
    const ValueName name = {ValueKind::kResult, i};
    parts.Accuse(name);
    if (!HasType(accused.results[i], facts.results[i])) return prosecutor.AccuseType(name);
    return prosecutor.AccuseElement(name,
                                    *FirstDifference(honest.results[i].view(), accused.results[i].view()));
  }
  return std::nullopt;
}

}  // namespace tally
