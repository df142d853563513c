#include "proof/certificate/dossier.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash/merkle_openings.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/recipe_entry.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

Layout LayoutOf(const ValueName& name, const Shape& shape) {
  return name.kind == ValueKind::kConstant ? Layout::kRowMajor : CommittedLayout(shape);
}

// The opening of these leaves of a tree.
template <typename Leaf, typename LeafAt>
TreeOpening<Leaf> OpenTree(uint64_t count, const std::set<uint64_t>& leaves, const PartRoot& part,
                           LeafAt leaf_at) {
  TreeOpening<Leaf> tree = {.count = count, .root = part(0, count), .opened = {}, .siblings = {}};
  for (const uint64_t leaf : leaves) tree.opened.emplace_back(leaf, leaf_at(leaf));
  if (leaves.empty()) return tree;
  const std::vector<uint64_t> numbers(leaves.begin(), leaves.end());
  tree.siblings = OpeningSiblings(count, numbers, part);
  return tree;
}

}  // namespace

Dossier::Dossier(const ClaimedModule& claimed, const RecordedRun& honest, const HonestColumns* columns)
    : claimed_(claimed), honest_(honest), columns_(columns), committed_(claimed.module) {
  for (size_t i = 0; i < honest.trace.size(); ++i) {
    entry_at_.emplace(ValuePlace{honest.trace[i].path, honest.trace[i].id}, i);
  }
}

TensorView Dossier::HonestValue(const ValueName& name) const {
  const auto index = static_cast<size_t>(name.index);
  switch (name.kind) {
    case ValueKind::kInput: return honest_.inputs[index].view();
    case ValueKind::kResult: return honest_.results[index].view();
    case ValueKind::kEntry: return honest_.values[index].view();
    case ValueKind::kColumn: return columns_->columns[index].view();
    case ValueKind::kConstant: break;
  }
  return claimed_.module.module().constants[index];
}

int64_t Dossier::Open(const ValueName& name, int64_t element) {
  const TensorView value = HonestValue(name);
  if (name.kind == ValueKind::kEntry) entries_.insert(name.index);
  if (name.kind == ValueKind::kConstant && claimed_.module.module().recipe(name.index) != nullptr) {
    recipes_.insert(name.index);
    recipe_entries_.emplace(name.index, element);
    return value.at(element);
  }
  const TensorLeaves leaves(value.storage, value.shape, LayoutOf(name, value.shape));
  const int64_t leaf = leaves.PlaceOf(element).leaf;
  if (leaves_[name].insert(static_cast<uint64_t>(leaf)).second) bytes_ += leaves.cuts().At(leaf).size;
  return value.at(element);
}

absl::StatusOr<int64_t> Dossier::Read(const ValuePlace& place, int64_t element) {
  const FunctionFacts& facts = claimed_.module.functions()[FunctionAt(claimed_.module.module(), place.path)];
  if (place.path.empty() && place.id < facts.params.size())
    return Open({ValueKind::kInput, place.id}, element);
  if (const int32_t constant = facts.constants[place.id]; constant >= 0)
    return Open({ValueKind::kConstant, static_cast<uint64_t>(constant)}, element);
  const auto entry = entry_at_.find(place);
  if (entry == entry_at_.end())
    return MakeError(label::leaf_missing, absl::StrCat("the run has no %", place.id, " there"));
  return Open({ValueKind::kEntry, entry->second}, element);
}

absl::StatusOr<int64_t> Dossier::Read(int column, int64_t i) {
  return Open({ValueKind::kColumn, static_cast<uint64_t>(column)}, i);
}

std::optional<int64_t> Dossier::Expanded(const ValuePlace& place, int64_t element) {
  if (columns_ == nullptr || columns_->part != WidePart{place, element}) return std::nullopt;
  return Open({ValueKind::kColumn, columns_->columns.size() - 1}, 0);
}

ValueOpening Dossier::OpenHonest(const ValueName& name, const std::set<uint64_t>& leaves) const {
  const TensorView value = HonestValue(name);
  const LeafTree tree(value, LayoutOf(name, value.shape));
  return {name,
          OpenTree<std::vector<uint8_t>>(
              tree.count(), leaves, [&](uint64_t first, uint64_t size) { return tree.Part(first, size); },
              [&](uint64_t leaf) {
                const auto bytes = tree.Leaf(leaf);
                return std::vector<uint8_t>(bytes.begin(), bytes.end());
              })};
}

ValueOpening Dossier::OpenAccused(const ValueName& name, uint64_t leaf, const AccusedParts& accused) const {
  const TensorView value = HonestValue(name);
  const TensorLeaves leaves(value.storage, value.shape, LayoutOf(name, value.shape));
  return {name, OpenTree<std::vector<uint8_t>>(
                    static_cast<uint64_t>(leaves.count()), {leaf},
                    [&](uint64_t first, uint64_t size) { return accused.ValuePart(first, size); },
                    [&](uint64_t number) { return accused.Leaf(number); })};
}

Certificate Dossier::Close(const AccusedParts& accused, Certificate head) const {
  std::map<ValueName, std::set<uint64_t>> leaves = leaves_;
  std::set<uint64_t> entries = entries_;
  leaves.erase(head.accused);
  if (head.charge == Charge::kElement) {
    const TensorView value = HonestValue(head.accused);
    const TensorLeaves of(value.storage, value.shape, LayoutOf(head.accused, value.shape));
    const auto leaf = static_cast<uint64_t>(of.PlaceOf(static_cast<int64_t>(head.element)).leaf);
    head.values.push_back(OpenAccused(head.accused, leaf, accused));
  }
  std::set<uint64_t> columns;
  const auto note = [&](const ValueName& name) {
    if (name.kind == ValueKind::kEntry && name.index < accused.entries()) entries.insert(name.index);
    if (name.kind == ValueKind::kColumn && name.index < accused.columns()) columns.insert(name.index);
  };
  // A wrong number of columns is accused as it is: no column is opened.
  const bool is_count = head.charge == Charge::kOrder && head.accused.kind == ValueKind::kColumn;
  if (head.charge != Charge::kClaim && !is_count) note(head.accused);
  for (const auto& [name, of_value] : leaves) {
    note(name);
    head.values.push_back(OpenHonest(name, of_value));
  }
  std::ranges::sort(head.values, {}, &ValueOpening::name);
  if (head.columns) {
    entries.insert(head.columns->entry);
    head.columns->columns = OpenTree<Digest>(
        accused.columns(), columns,
        [&](uint64_t first, uint64_t size) { return accused.ColumnsPart(first, size); },
        [&](uint64_t number) { return accused.Column(number); });
  }
  if (!entries.empty() || (head.charge == Charge::kOrder && head.accused.kind == ValueKind::kEntry)) {
    head.trace = OpenTree<TraceEntry>(
        accused.entries(), entries,
        [&](uint64_t first, uint64_t size) { return accused.TracePart(first, size); },
        [&](uint64_t number) { return accused.Entry(number); });
  }
  for (const uint64_t constant : recipes_) {
    head.recipes.emplace_back(constant, EncodeRecipeEntry(claimed_.module.module(), constant));
  }
  return head;
}

}  // namespace tally
