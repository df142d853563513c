// The certificate that convicts a claim, from an honest run of the same module on the same inputs.
//
//   ASSIGN_OR_RETURN(const std::optional<Certificate> certificate, Convict(claimed, honest, accused));
//   if (!certificate) ...  // the two runs agree
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "proof/certificate/accused_parts.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/dossier.h"
#include "proof/certificate/recorded_run.h"

namespace tally {

// Whether a tensor has the shape of a type, and its storage, in which it is committed to.
bool HasType(const Tensor& tensor, const TensorType& type);

// A claim with what it names, and no charge yet.
Certificate CertificateHead(const ClaimedModule& claimed, const Claim& claim, std::span<const Digest> inputs,
                            std::span<const Digest> results);

// The row-major number of the first element in which two tensors of one type differ, where there is one.
std::optional<uint64_t> FirstDifference(const TensorView& a, const TensorView& b);

// The evidence against the accused, of these kinds. `honest` and the accused have the entries before `number`
// in common. Errors: those of the judgement, where it has none (docs/spec/trace.md#judging-an-element).
struct Prosecutor {
  const ClaimedModule& claimed;
  const RecordedRun& honest;
  const AccusedParts& accused;
  Certificate head;

  // Entry `number` is not the one that follows, or is missing.
  absl::StatusOr<Certificate> AccuseOrder(uint64_t number) const;
  // A value has another type than the honest run's.
  absl::StatusOr<Certificate> AccuseType(const ValueName& name) const;
  // An element of a result or of an entry differs. With `columns` one of an entry is judged by the expansion
  // that the accused has sent, whose columns are these.
  absl::StatusOr<Certificate> AccuseElement(const ValueName& name, uint64_t element,
                                            const HonestColumns* columns = nullptr) const;
  // Integer i of a column of that expansion differs, which those before do not.
  absl::StatusOr<Certificate> AccuseStep(uint64_t number, uint64_t element, const HonestColumns& columns,
                                         uint64_t column, uint64_t i) const;
  // A column of it has another type.
  absl::StatusOr<Certificate> AccuseColumnType(uint64_t number, uint64_t element,
                                               const HonestColumns& columns, uint64_t column) const;
  // The expansion has another number of columns.
  absl::StatusOr<Certificate> AccuseColumns(uint64_t number, uint64_t element) const;
  // Its leaf with that element has another size than leaves of its type: nothing else is opened.
  absl::StatusOr<Certificate> AccuseLeaf(const ValueName& name, uint64_t element) const;
};

// Whether an element of an entry of a run can be judged without an expansion: from at most `most_direct`
// bytes of leaves, within kMostReads and kMostRecipeEntries.
absl::StatusOr<bool> IsJudgedDirectly(const ClaimedModule& claimed, const RecordedRun& honest,
                                      uint64_t number, uint64_t element, int64_t most_direct);

// The expansion of an element of an entry; nothing where it has none
// (docs/spec/expansion.md#which-expansion).
// Errors: those of ElementSteps::Run, which an honest run has none of.
absl::StatusOr<std::optional<HonestColumns>> Expand(const ClaimedModule& claimed, const RecordedRun& honest,
                                                    uint64_t number, uint64_t element);

// The certificate of what is wrong with a claim whatever its trace: its gas, its numbers of inputs and
// results, the type of an input or an element outside its interval. Nothing where all of it is right. `head`
// is the claim's, and `run` has the inputs that it names.
absl::StatusOr<std::optional<Certificate>> AccuseClaim(const ClaimedModule& claimed, const RecordedRun& run,
                                                       const Certificate& head);

// All of the accused is at hand. Errors: claim_module, claim_inputs (the claims are of different modules or
// inputs, so that neither speaks against the other); dispute_bounds (the claim of the accused is false, which
// needs no certificate: everybody computes the bounds of a module); dispute_claim (it is of a run that was
// refused); those of the judgement.
absl::StatusOr<std::optional<Certificate>> Convict(const ClaimedModule& claimed, const RecordedRun& honest,
                                                   const RecordedRun& accused);

}  // namespace tally
