#include "proof/certificate/opened_certificate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/hash/merkle_openings.h"
#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"
#include "vm/element_steps.h"
#include "vm/judgement.h"
#include "vm/labels.h"
#include "vm/trace_order.h"
#include "vm/validator.h"

namespace tally {
namespace {

absl::Status ClaimError(std::string_view what) { return MakeError(label::certificate_claim, what); }
absl::Status FormError(std::string_view what) { return MakeError(label::certificate_form, what); }

ResultTypes TypesOf(const ModuleBounds& bounds) {
  ResultTypes types;
  for (const auto& function : bounds.functions) {
    auto& of_function = types.emplace_back();
    for (const InstructionBounds& instruction : function) of_function.push_back(instruction.results);
  }
  return types;
}

// Whether the leaves that are opened are of the tree.
template <typename Leaf, typename HashOf>
bool IsOpeningOf(uint64_t count, const TreeOpening<Leaf>& tree, HashOf hash_of) {
  std::vector<OpenedLeaf> opened;
  for (const auto& [number, leaf] : tree.opened) opened.emplace_back(number, hash_of(leaf));
  return RootOfOpening(count, opened, tree.siblings) == tree.root;
}

// That of a number among what is opened, which ascends; null where it is not opened.
template <typename Leaf>
const Leaf* FindOpened(const TreeOpening<Leaf>& tree, uint64_t number) {
  const auto found =
      std::ranges::lower_bound(tree.opened, number, {}, [](const auto& leaf) { return leaf.first; });
  return found == tree.opened.end() || found->first != number ? nullptr : &found->second;
}

// Whether the names of `items` ascend.
template <typename Items, typename NameOf>
bool Ascend(const Items& items, NameOf name_of) {
  return std::ranges::adjacent_find(
             items, [&](const auto& a, const auto& b) { return name_of(a) >= name_of(b); }) == items.end();
}

}  // namespace

absl::StatusOr<std::unique_ptr<OpenedCertificate>> OpenedCertificate::Of(Certificate certificate) {
  std::unique_ptr<OpenedCertificate> opened(new OpenedCertificate(std::move(certificate)));
  RETURN_IF_ERROR(opened->OpenClaim());
  RETURN_IF_ERROR(opened->OpenProgram());
  RETURN_IF_ERROR(opened->OpenTrace());
  RETURN_IF_ERROR(opened->OpenColumns());
  RETURN_IF_ERROR(opened->OpenRecipes());
  RETURN_IF_ERROR(opened->OpenValues());
  return opened;
}

absl::Status OpenedCertificate::OpenClaim() {
  const Certificate& c = certificate_;
  if (c.claim.status != kRan) return ClaimError("the run was refused: it has no trace");
  if (IoMapDigest(c.inputs) != c.claim.inputs) return ClaimError("the claim has other inputs");
  if (IoMapDigest(c.results) != *c.claim.results) return ClaimError("the claim has other results");
  if (ProgramId(c.program) != c.claim.module) return ClaimError("the claim is of another program");
  ASSIGN_OR_RETURN(bounds_, DecodeBounds(c.bounds));
  if (BoundsDigest(bounds_) != c.claim.bounds) return ClaimError("the claim has other bounds");
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenProgram() {
  ASSIGN_OR_RETURN(program_, DecodeProgram(certificate_.program));
  ASSIGN_OR_RETURN(module_, ValidateProgram(program_.module, program_.constants.size(), TypesOf(bounds_)));
  const auto arena_bytes = static_cast<uint64_t>(module_->arena_bytes());
  if (static_cast<uint64_t>(module_->gas()) != bounds_.gas || arena_bytes != bounds_.arena_bytes) {
    return ClaimError(absl::StrCat("the program has gas ", module_->gas(), " and an arena of ", arena_bytes,
                                   " bytes, other than its bounds"));
  }
  committed_.emplace(*module_);
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenTrace() {
  if (!certificate_.trace) return absl::OkStatus();
  const auto& tree = *certificate_.trace;
  const auto hash_of = [](const TraceEntry& entry) { return MerkleLeafHash(EncodeTraceEntry(entry)); };
  // The digest of a trace without entries binds that it has none: nothing is opened.
  const bool is_empty = tree.count == 0 && tree.opened.empty() && tree.siblings.empty();
  if (!is_empty && !IsOpeningOf(tree.count, tree, hash_of))
    return MakeError(label::certificate_trace, "the entries are not those of the trace");
  for (const auto& [number, entry] : tree.opened) entry_at_.emplace(ValuePlace{entry.path, entry.id}, number);
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenColumns() {
  if (!certificate_.columns) return absl::OkStatus();
  const ColumnsOpening& opening = *certificate_.columns;
  const auto& tree = opening.columns;
  // The digest of a column is a leaf as it is.
  const auto hash_of = [](const Digest& column) { return MerkleLeafHash(column); };
  if (!tree.opened.empty() && !IsOpeningOf(tree.count, tree, hash_of)) {
    return MakeError(label::certificate_trace, "the columns are not those of the expansion");
  }
  // Where nothing is opened, the digest of the expansion binds how many it has.
  if (tree.opened.empty() && !tree.siblings.empty())
    return MakeError(label::certificate_trace, "an opening of no columns has siblings");
  const TraceEntry* of = entry(opening.entry);
  if (of == nullptr) return FormError("the entry is not opened that is expanded");
  ASSIGN_OR_RETURN(const CommittedType type, TypeOf({ValueKind::kEntry, opening.entry}));
  if (opening.element >= static_cast<uint64_t>(type.shape.num_elements()))
    return FormError(
        absl::StrCat("the expansion is of element ", opening.element, " of ", type.shape.num_elements()));
  return ExpandElement(*of, static_cast<int64_t>(opening.element));
}

// Which columns the element should have.
absl::Status OpenedCertificate::ExpandElement(const TraceEntry& of, int64_t element) {
  wide_ = WidePartOf(*module_, *committed_, {of.path, of.id}, element);
  if (!wide_) return absl::OkStatus();
  // They depend on no element.
  class NoElements final : public KnownElements {
    absl::StatusOr<int64_t> Read(const ValuePlace&, int64_t) override { return absl::InternalError(""); }
  } none;
  Referee<TrappingInt> referee(*module_, *committed_, none);
  constexpr int kNone = -1;  // no step is taken here
  const auto columns = EndOf([&] {
    const ElementSteps<TrappingInt> steps(referee, wide_->place, wide_->element, kMostLeafBytes, kNone);
    std::vector<ColumnType> types;
    for (const auto& column : steps.columns()) types.push_back({column.length, column.storage});
    return types;
  });
  // An element without an expansion has no columns.
  if (HasLabel(columns.status(), label::expansion_size)) return absl::OkStatus();
  ASSIGN_OR_RETURN(columns_, columns);
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenRecipes() {
  if (!Ascend(certificate_.recipes, [](const auto& recipe) { return recipe.first; }))
    return FormError("the recipes do not ascend");
  for (const auto& [constant, bytes] : certificate_.recipes) {
    const ValueName name = {ValueKind::kConstant, constant};
    ASSIGN_OR_RETURN(const CommittedType type, TypeOf(name));
    ASSIGN_OR_RETURN(const Digest digest, DigestOf(name));
    if (RecipeEntryDigest(bytes) != digest) {
      return MakeError(label::certificate_value, absl::StrCat("constant ", constant, " has another recipe"));
    }
    ASSIGN_OR_RETURN(const RecipeEntry entry, DecodeRecipeEntry(bytes));
    if (entry.storage != type.storage || entry.shape != type.shape)
      return ClaimError("the bounds have another type than a recipe");
    recipes_.emplace(constant, Entries{entry, {}});
  }
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenValues() {
  if (!Ascend(certificate_.values, [](const ValueOpening& value) { return value.name; }))
    return FormError("the values do not ascend");
  for (const ValueOpening& value : certificate_.values) {
    RETURN_IF_ERROR(OpenValue(value));
  }
  return absl::OkStatus();
}

absl::Status OpenedCertificate::OpenValue(const ValueOpening& value) {
  ASSIGN_OR_RETURN(const CommittedType type, TypeOf(value.name));
  ASSIGN_OR_RETURN(const Digest digest, DigestOf(value.name));
  const auto& tree = value.leaves;
  PartialTensor partial(type.storage, type.shape, type.layout);
  const auto count = static_cast<uint64_t>(partial.leaves().count());
  const bool is_value =
      TensorDigestOf(type.storage, type.shape, type.layout, tree.root) == digest && tree.count == count &&
      IsOpeningOf(count, tree, [](const std::vector<uint8_t>& leaf) { return MerkleLeafHash(leaf); });
  if (!is_value) {
    return MakeError(label::certificate_value,
                     absl::StrCat("the leaves of value ", static_cast<int>(value.name.kind), ".",
                                  value.name.index, " are not those that are committed to"));
  }
  for (const auto& [number, bytes] : tree.opened) {
    const auto leaf = static_cast<int64_t>(number);
    const absl::Status added = partial.Add(leaf, bytes);
    if (!added.ok() && value.name != certificate_.accused) return added;
    if (!added.ok()) odd_leaf_ = leaf;
  }
  values_.emplace(value.name, std::move(partial));
  return absl::OkStatus();
}

const TraceEntry* OpenedCertificate::entry(uint64_t number) const {
  return certificate_.trace ? FindOpened(*certificate_.trace, number) : nullptr;
}

std::optional<uint64_t> OpenedCertificate::EntryAt(const ValuePlace& place) const {
  const auto found = entry_at_.find(place);
  return found == entry_at_.end() ? std::nullopt : std::optional(found->second);
}

absl::StatusOr<CommittedType> OpenedCertificate::TypeOf(const ValueName& name) const {
  const FunctionFacts& facts = module_->functions()[0];
  const auto of_run = [](const TensorType& type) {
    return CommittedType{type.storage(), type.shape, CommittedLayout(type.shape)};
  };
  switch (name.kind) {
    case ValueKind::kInput:
      if (name.index < facts.params.size()) return of_run(facts.params[name.index]);
      break;
    case ValueKind::kResult:
      if (name.index < facts.results.size()) return of_run(facts.results[name.index]);
      break;
    case ValueKind::kEntry: {
      const TraceEntry* opened = entry(name.index);
      if (opened == nullptr) break;
      const ValuePlace place = {opened->path, opened->id};
      if (!TraceOrder(*module_, *committed_, nullptr).Contains(place)) break;
      return of_run(module_->functions()[FunctionAt(module_->module(), place.path)].types[place.id]);
    }
    case ValueKind::kColumn:
      if (name.index < columns_.size()) {
        const ColumnType& column = columns_[name.index];
        ASSIGN_OR_RETURN(const Shape shape, Shape::Create({column.length}));
        return CommittedType{column.storage, shape, CommittedLayout(shape)};
      }
      break;
    case ValueKind::kConstant:
      if (name.index < module_->module().constants.size()) {
        const TensorView& constant = module_->module().constants[name.index];
        return CommittedType{constant.storage, constant.shape, Layout::kRowMajor};
      }
      break;
  }
  return FormError(absl::StrCat("there is no value ", static_cast<int>(name.kind), ".", name.index));
}

absl::StatusOr<Digest> OpenedCertificate::DigestOf(const ValueName& name) const {
  const auto of = [&](const std::vector<Digest>& digests) -> absl::StatusOr<Digest> {
    if (name.index < digests.size()) return digests[name.index];
    return FormError("there is no such value");
  };
  switch (name.kind) {
    case ValueKind::kInput: return of(certificate_.inputs);
    case ValueKind::kResult: return of(certificate_.results);
    case ValueKind::kConstant: return of(program_.constants);
    case ValueKind::kEntry:
      if (const TraceEntry* opened = entry(name.index)) return opened->value;
      break;
    case ValueKind::kColumn:
      if (!certificate_.columns) break;
      if (const Digest* digest = FindOpened(certificate_.columns->columns, name.index)) return *digest;
      break;
  }
  return MakeError(label::certificate_trace, "the digest of a value is not opened");
}

absl::StatusOr<int64_t> OpenedCertificate::Read(const ValueName& name, int64_t element) {
  if (name.kind == ValueKind::kConstant) {
    if (const auto found = recipes_.find(name.index); found != recipes_.end()) {
      auto& [recipe, computed] = found->second;
      const auto known = computed.find(element);
      if (known != computed.end()) return known->second;
      if (recipe_entries_left_-- <= 0)
        return MakeError(label::judgement_size, "more entries of recipes are read than are computed");
      ASSIGN_OR_RETURN(const int64_t entry, recipe.Element(element));
      return computed[element] = entry;
    }
  }
  if (const auto value = values_.find(name); value != values_.end()) return value->second.Read(element);
  return MakeError(label::leaf_missing, absl::StrCat("no leaf of value ", static_cast<int>(name.kind), ".",
                                                     name.index, " is opened"));
}

}  // namespace tally
