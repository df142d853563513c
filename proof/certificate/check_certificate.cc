#include "proof/certificate/check_certificate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/certificate/opened_certificate.h"
#include "proof/labels.h"
#include "serializer/tensor_digest.h"
#include "vm/element_steps.h"
#include "vm/judgement.h"
#include "vm/trace_order.h"

namespace tally {
namespace {

absl::Status FormError(std::string_view what) { return MakeError(label::certificate_form, what); }
absl::Status Right(std::string_view what) { return MakeError(label::certificate_right, what); }

std::string_view NameOf(ValueKind kind) {
  constexpr std::string_view kNames[] = {"input", "result", "entry", "column", "constant"};
  return kNames[static_cast<size_t>(kind)];
}
std::string TextOf(const ValueName& name) { return absl::StrCat(ToAbsl(NameOf(name.kind)), " ", name.index); }

// "%7", after the calls around it where there are some: "4.0/%7" is in the first call of instruction 4.
std::string TextOf(const ValuePlace& place) {
  std::string text;
  for (const CallSite& site : place.path) absl::StrAppend(&text, site.step, ".", site.invocation, "/");
  return absl::StrCat(text, "%", place.id);
}

template <typename Int>
std::string TextOf(const Int& value) {
  const absl::StatusOr<int64_t> fits = EndOf([&] { return As64Bits(value); });
  return fits.ok() ? absl::StrCat(*fits) : "more than 64 bits";
}

template <typename Int>
class Judge final : private KnownElements, private KnownColumns {
 public:
  explicit Judge(OpenedCertificate& opened)
      : opened_(opened), referee_(opened.module(), opened.committed(), *this, kMostReads) {}

  // The fault, in words. Error certificate_right, where nothing is.
  absl::StatusOr<std::string> Try() {
    const Certificate& c = opened_.certificate();
    const bool is_value = c.charge == Charge::kType || c.charge == Charge::kElement;
    if ((c.charge != Charge::kElement && c.element != 0) ||
        (c.charge != Charge::kType && !c.header.empty()) ||
        (c.charge == Charge::kClaim && c.accused != ValueName())) {
      return FormError("a field is filled in that the charge does not have");
    }
    if (is_value && c.accused.kind == ValueKind::kConstant) return FormError("nobody claims a constant");
    absl::StatusOr<std::string> of_claim = TryClaim();
    if (c.charge == Charge::kClaim || of_claim.ok()) {
      if (c.charge == Charge::kClaim) return of_claim;
      return MakeError(label::certificate_claim, *of_claim);
    }
    if (c.charge == Charge::kOrder) return TryOrder();
    return c.charge == Charge::kType ? TryType() : TryElement();
  }

  // After Try has convicted.
  const std::optional<WrongElement>& wrong() const { return wrong_; }

 private:
  absl::StatusOr<std::string> TryClaim() const {
    const Certificate& c = opened_.certificate();
    const FunctionFacts& facts = opened_.module().functions()[0];
    if (c.claim.gas != opened_.bounds().gas)
      return absl::StrCat("the claim has gas ", c.claim.gas, ", its module ", opened_.bounds().gas);
    if (c.inputs.size() != facts.params.size())
      return absl::StrCat("the claim has ", c.inputs.size(), " inputs, its module ", facts.params.size());
    if (c.results.size() != facts.results.size())
      return absl::StrCat("the claim has ", c.results.size(), " results, its module ", facts.results.size());
    return Right("the claim has the gas, the inputs and the results of its module");
  }

  // Entry `accused` is not the one that follows those before it, or the trace ends without one that follows.
  absl::StatusOr<std::string> TryOrder() {
    const Certificate& c = opened_.certificate();
    const uint64_t number = c.accused.index;
    if (c.accused.kind == ValueKind::kColumn) {
      if (!c.columns) return FormError("no expansion is opened");
      const uint64_t columns = opened_.columns().size();
      if (c.columns->columns.count != columns)
        return absl::StrCat(c.columns->columns.count, " columns, of an expansion that has ", columns);
      return Right("the expansion has as many columns as it should");
    }
    if (c.accused.kind != ValueKind::kEntry || !c.trace || number > c.trace->count)
      return FormError("there is no such entry");
    const TraceOrder order(opened_.module(), opened_.committed(),
                           [&](const ValuePlace& flag) { return IsSet(flag); });
    ASSIGN_OR_RETURN(const std::optional<ValuePlace> expected, Expected(order, number));
    if (number == c.trace->count) {
      if (number == 0 && c.trace->root != MerkleRoot({}))
        return "the trace has no entries, and a root of some";
      if (expected) return absl::StrCat("the trace ends after ", number, " entries, but the run goes on");
      return Right("the trace ends where the run does");
    }
    const TraceEntry* entry = opened_.entry(number);
    if (entry == nullptr) return FormError("the accused is not opened");
    if (!expected) return absl::StrCat("entry ", number, " comes after the end of the run");
    const ValuePlace place = {entry->path, entry->id};
    if (*expected != place)
      return absl::StrCat("entry ", number, " is of ", TextOf(place), ", where ", TextOf(*expected),
                          " is computed");
    return Right(absl::StrCat("entry ", number, " follows those before it"));
  }

  absl::StatusOr<std::optional<ValuePlace>> Expected(const TraceOrder& order, uint64_t number) {
    if (number == 0) return order.First();
    const TraceEntry* before = opened_.entry(number - 1);
    if (before == nullptr) return FormError("the entry before the accused is not opened");
    const ValuePlace place = {before->path, before->id};
    if (!order.Contains(place)) return FormError("the entry before the accused is of no run");
    return order.After(place);
  }

  absl::StatusOr<std::string> TryType() const {
    const Certificate& c = opened_.certificate();
    ASSIGN_OR_RETURN(const CommittedType type, opened_.TypeOf(c.accused));
    ASSIGN_OR_RETURN(const Digest digest, opened_.DigestOf(c.accused));
    if (TensorHeaderDigest(c.header) != digest)
      return MakeError(label::certificate_value, "the header is not the one of the digest");
    if (!HasType(c.header, type))
      return absl::StrCat(TextOf(c.accused), " is of another type than ", type.shape.ToString(), " ",
                          ToAbsl(StorageName(type.storage)));
    return Right(absl::StrCat(TextOf(c.accused), " is of its type"));
  }

  absl::StatusOr<std::string> TryElement() {
    const Certificate& c = opened_.certificate();
    ASSIGN_OR_RETURN(const CommittedType type, opened_.TypeOf(c.accused));
    if (c.element >= static_cast<uint64_t>(type.shape.num_elements()))
      return FormError(absl::StrCat("the accused is element ", c.element, " of ", type.shape.num_elements()));
    const auto element = static_cast<int64_t>(c.element);
    const int64_t leaf = TensorLeaves(type.storage, type.shape, type.layout).PlaceOf(element).leaf;
    if (opened_.odd_leaf() == leaf)
      return absl::StrCat("leaf ", leaf, " of ", TextOf(c.accused), " is of another size than it has");
    ASSIGN_OR_RETURN(const int64_t claimed, opened_.Read(c.accused, element));
    wrong_ = {TextOf(c.accused), type.shape, type.storage, element, claimed, ""};
    if (c.accused.kind == ValueKind::kInput) {
      const Interval interval = opened_.module().functions()[0].params[c.accused.index].interval;
      wrong_->right = interval.ToString();
      if (!interval.Contains(claimed))
        return absl::StrCat("element ", element, " of ", TextOf(c.accused), " is ", claimed, ", outside ",
                            interval.ToString());
      return Right("the element is in the interval of its input");
    }
    ASSIGN_OR_RETURN(const Int right, RightElement(element));
    wrong_->right = TextOf(right);
    if (right == Int(claimed))
      return Right(absl::StrCat("element ", element, " of ", TextOf(c.accused), " is ", claimed));
    return absl::StrCat("element ", element, " of ", TextOf(c.accused), " is claimed to be ", claimed,
                        ", and is ", TextOf(right));
  }

  // The accused element is judged by the values that it is made of.
  absl::StatusOr<Int> RightElement(int64_t element) {
    const Certificate& c = opened_.certificate();
    if (c.accused.kind == ValueKind::kResult) {
      const ValueId id = opened_.module().entry().results[c.accused.index];
      return referee_.ElementOf({{}, id}, element);
    }
    if (c.accused.kind == ValueKind::kColumn) {
      const WidePart& wide = *opened_.wide();  // it has the column
      const auto column = static_cast<int>(c.accused.index);
      return EndOf([&] {
        const ElementSteps<Int> steps(referee_, wide.place, wide.element, kMostLeafBytes, column);
        return OrRefuse(steps.Judge(column, element, *this));
      });
    }
    const bool by_columns = c.columns.has_value();
    if (by_columns && (c.columns->entry != c.accused.index || c.columns->element != c.element))
      return FormError("the expansion is of another element");
    const TraceEntry& entry = *opened_.entry(c.accused.index);
    const ValuePlace place = {entry.path, entry.id};
    if (by_columns && opened_.wide() == WidePart{place, element}) {
      ASSIGN_OR_RETURN(const int64_t last, LastInteger());
      return Int(last);
    }
    return referee_.Judge(place, element);
  }

  absl::StatusOr<int64_t> LastInteger() {
    if (opened_.columns().empty()) return FormError("an expansion without columns");
    return opened_.Read({ValueKind::kColumn, opened_.columns().size() - 1}, 0);
  }

  absl::StatusOr<bool> IsSet(const ValuePlace& flag) {
    ASSIGN_OR_RETURN(const Int element, referee_.ElementOf(flag, 0));
    return element != Int(int64_t{0});
  }

  // The parts of the run that the referee reads.
  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override {
    const size_t function = FunctionAt(opened_.module().module(), place.path);
    const FunctionFacts& facts = opened_.module().functions()[function];
    if (place.path.empty() && place.id < facts.params.size())
      return opened_.Read({ValueKind::kInput, place.id}, element);
    if (const int32_t constant = facts.constants[place.id]; constant >= 0)
      return opened_.Read({ValueKind::kConstant, static_cast<uint64_t>(constant)}, element);
    const std::optional<uint64_t> number = opened_.EntryAt(place);
    if (!number) return MakeError(label::leaf_missing, absl::StrCat("no entry of %", place.id, " is opened"));
    return opened_.Read({ValueKind::kEntry, *number}, element);
  }

  std::optional<int64_t> Expanded(const ValuePlace& place, int64_t element) override {
    const Certificate& c = opened_.certificate();
    if (!c.columns || c.accused.kind != ValueKind::kEntry) return std::nullopt;
    if (opened_.wide() != WidePart{place, element}) return std::nullopt;
    return OrRefuse(LastInteger());
  }

  absl::StatusOr<int64_t> Read(int column, int64_t i) override {
    return opened_.Read({ValueKind::kColumn, static_cast<uint64_t>(column)}, i);
  }

  static bool HasType(std::span<const uint8_t> header, const CommittedType& type) {
    // The root is the one field that the type does not say.
    std::vector<uint8_t> of_type = TensorHeader(type.storage, type.shape, type.layout, Digest());
    const size_t begin = RootInTensorHeader(of_type.size(), type.layout);
    if (header.size() != of_type.size()) return false;
    std::ranges::copy(header.subspan(begin, sizeof(Digest)), of_type.begin() + static_cast<int64_t>(begin));
    return std::ranges::equal(header, of_type);
  }

  OpenedCertificate& opened_;
  Referee<Int> referee_;
  std::optional<WrongElement> wrong_;
};

}  // namespace

template <typename Int>
absl::StatusOr<Conviction> CheckCertificate(std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(Certificate certificate, DecodeCertificate(file));
  ASSIGN_OR_RETURN(const auto opened, OpenedCertificate::Of(std::move(certificate)));
  const Certificate& c = opened->certificate();
  Conviction conviction = {.claim = ClaimId(c.claim)};
  if (c.trace) conviction.trace = TraceDigestOf(c.trace->count, c.trace->root);
  if (c.columns) conviction.columns = ColumnsDigest(*conviction.trace, *c.columns);
  Judge<Int> judge(*opened);
  ASSIGN_OR_RETURN(conviction.what, judge.Try());
  conviction.wrong = judge.wrong();
  return conviction;
}

template absl::StatusOr<Conviction> CheckCertificate<TrappingInt>(std::span<const uint8_t>);
template absl::StatusOr<Conviction> CheckCertificate<FormalInt>(std::span<const uint8_t>);

}  // namespace tally
