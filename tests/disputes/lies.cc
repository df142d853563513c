#include "tests/disputes/lies.h"

#include <algorithm>
#include <utility>

#include "base/hash/merkle.h"
#include "base/strings.h"
#include "proof/certificate/convict.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace_entry.h"

namespace tally {
namespace {

SaidLeaf SaidEntry(TraceEntry entry, SaidValue value) {
  entry.value = value.Committed();
  return {EncodeTraceEntry(entry), std::move(value)};
}

SaidLeaf SaidColumn(SaidValue value) {
  const Digest digest = value.Committed();
  return {Bytes(digest.begin(), digest.end()), std::move(value)};
}

// Changes an opening itself, after all that it commits to.
void AddTo(std::vector<std::function<void(Liar&)>>& changes, std::function<void(DisputeOpening&)> change) {
  changes.push_back([change = std::move(change)](Liar& liar) { change(liar.opening); });
}

}  // namespace

Lies::Lies(const HonestRun& honest) : run_(honest) {
  honest_.opening.claim = honest.run.claim;
  honest_.opening.inputs = honest.run.input_digests;
  for (size_t i = 0; i < honest.run.trace.size(); ++i)
    honest_.entries.push_back(SaidEntry(honest.run.trace[i], SaidValue::Of(honest.run.values[i])));
  for (const Tensor& result : honest.run.results) honest_.results.push_back(SaidValue::Of(result));
  honest_.expand = [&honest](uint64_t entry, uint64_t element) {
    std::vector<SaidLeaf> columns;
    if (entry >= honest.run.values.size()) return columns;
    if (element >= static_cast<uint64_t>(honest.run.values[entry].shape().num_elements())) return columns;
    const auto expanded = Expand(*honest.claimed, honest.run, entry, element);
    if (!expanded.ok() || !*expanded) return columns;
    for (const Tensor& column : (*expanded)->columns) columns.push_back(SaidColumn(SaidValue::Of(column)));
    return columns;
  };
  honest_.Commit();
  AddEntries();
  AddOrders();
  AddResults();
  AddExpansions();
  AddOpenings();
}

void Lies::AddEntries() {
  for (size_t i = 0; i < honest_.entries.size(); ++i) {
    Place& place = places_.emplace_back();
    place.what = absl::StrCat("entry ", i);
    const TraceEntry entry = run_.run.trace[i];
    const auto add = [&](const SaidLeaf& said) {
      place.changes.push_back([i, said](Liar& liar) { liar.entries[i] = said; });
    };
    for (SaidValue& value : WrongValues(run_.run.values[i])) add(SaidEntry(entry, std::move(value)));
    const SaidValue right = SaidValue::Of(run_.run.values[i]);
    TraceEntry other = entry;
    other.id += 1;
    add(SaidEntry(other, right));
    other = entry;
    other.path.push_back({0, 0});
    add(SaidEntry(other, right));
    add({{0xff}, right});
    add({Bytes(kMostLeafOfAnswer + 1), right});
  }
}

void Lies::AddOrders() {
  Place place = {"the order", {}};
  const size_t entries = honest_.entries.size();
  for (size_t i = 0; i < entries; ++i) {
    const auto at = static_cast<int64_t>(i);
    place.changes.push_back([at](Liar& liar) { liar.entries.erase(liar.entries.begin() + at); });
    place.changes.push_back(
        [i, at](Liar& liar) { liar.entries.insert(liar.entries.begin() + at, SaidLeaf(liar.entries[i])); });
    if (i > 0) place.changes.push_back([i](Liar& liar) { std::swap(liar.entries[i - 1], liar.entries[i]); });
  }
  place.changes.push_back([](Liar& liar) { liar.entries.clear(); });
  place.changes.push_back([](Liar& liar) { liar.entries.push_back({{1}, {}}); });
  places_.push_back(std::move(place));
}

void Lies::AddResults() {
  for (size_t i = 0; i < honest_.results.size(); ++i) {
    Place& place = places_.emplace_back();
    place.what = absl::StrCat("result ", i);
    for (const SaidValue& value : WrongValues(run_.run.results[i]))
      place.changes.push_back([i, value](Liar& liar) { liar.results[i] = value; });
  }
  places_.push_back({"the results",
                     {[](Liar& liar) { liar.results.pop_back(); },
                      [](Liar& liar) { liar.results.push_back(liar.results.back()); },
                      [](Liar& liar) { liar.results.clear(); }}});
}

void Lies::AddExpansions() {
  Place place = {"the expansion", {}};
  using Columns = std::vector<SaidLeaf>;
  const auto add = [&](const std::function<void(Columns&)>& change) {
    place.changes.push_back([change, expand = honest_.expand](Liar& liar) {
      liar.expand = [change, expand](uint64_t entry, uint64_t element) {
        Columns columns = expand(entry, element);
        if (columns.empty()) {
          columns.push_back(SaidColumn({{{1}}, {}, {}}));  // an element that has none
        } else {
          change(columns);
        }
        return columns;
      };
    });
  };
  add([](Columns& columns) { columns.clear(); });
  add([](Columns& columns) { columns.pop_back(); });
  add([](Columns& columns) { columns.push_back(columns.back()); });
  add([](Columns& columns) { columns[0].leaf.pop_back(); });
  // As many columns and wrong values as the elements of the run have.
  size_t most = 0;
  Tensor widest;
  for (size_t i = 0; i < run_.run.values.size(); ++i) {
    const auto expanded = Expand(*run_.claimed, run_.run, i, 0);
    if (expanded.ok() && *expanded) most = std::max(most, (*expanded)->columns.size());
  }
  for (size_t column = 0; column < most; ++column) {
    for (size_t wrong = 0; wrong < 14; ++wrong) {
      place.changes.push_back([this, column, wrong](Liar& liar) {
        liar.expand = [this, column, wrong](uint64_t entry, uint64_t element) {
          Columns columns = honest_.expand(entry, element);
          if (column >= columns.size()) return columns;
          const auto expanded = Expand(*run_.claimed, run_.run, entry, element);
          std::vector<SaidValue> values = WrongValues((*expanded)->columns[column]);
          if (wrong < values.size()) columns[column] = SaidColumn(values[wrong]);
          return columns;
        };
      });
    }
  }
  places_.push_back(std::move(place));
}

void Lies::AddOpenings() {
  Place place = {"the opening", {}};
  auto& changes = place.changes;
  AddTo(changes, [](DisputeOpening& o) { o.claim.gas += 1; });
  AddTo(changes, [](DisputeOpening& o) { o.claim.gas = 0; });
  AddTo(changes, [](DisputeOpening& o) { o.claim.bounds[0] ^= 1; });
  AddTo(changes, [](DisputeOpening& o) { (*o.claim.results)[0] ^= 1; });
  AddTo(changes, [](DisputeOpening& o) {
    if (!o.results.empty()) o.results.pop_back();
  });
  AddTo(changes, [](DisputeOpening& o) { o.results.emplace_back(); });
  AddTo(changes, [](DisputeOpening& o) {
    if (!o.results.empty()) o.results[0][0] ^= 1;
  });
  AddTo(changes, [](DisputeOpening& o) { o.inputs.emplace_back(); });
  AddTo(changes, [](DisputeOpening& o) { o.inputs.clear(); });
  AddTo(changes, [](DisputeOpening& o) { o.trace_root[0] ^= 1; });
  AddTo(changes, [](DisputeOpening& o) { o.trace_root = MerkleRoot({}); });
  for (const uint64_t entries : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, ~uint64_t{0}}) {
    AddTo(changes, [entries](DisputeOpening& o) { o.entries = entries; });
    AddTo(changes, [entries](DisputeOpening& o) { o.entries += entries; });
  }
  places_.push_back(std::move(place));
}

size_t Lies::count() const {
  size_t count = 0;
  for (const Place& place : places_) count += place.changes.size();
  return count;
}

void Lies::ForEach(int lies, const std::function<void(const Liar&, const std::string& what)>& show) const {
  From(0, lies, {}, "", show);
}

void Lies::From(size_t place, int lies, const std::vector<const Change*>& told, const std::string& what,
                const std::function<void(const Liar&, const std::string&)>& show) const {
  if (place == places_.size()) {
    Liar liar = honest_;
    bool committed = false;
    const auto is_opening = [&](const Change* change) {
      const auto& of = places_.back().changes;
      return &of.front() <= change && change <= &of.back();
    };
    for (const Change* change : told) {
      if (is_opening(change) && !std::exchange(committed, true)) liar.Commit();
      (*change)(liar);
    }
    if (!committed) liar.Commit();
    return show(liar, what);
  }
  From(place + 1, lies, told, what, show);
  if (lies == 0) return;
  for (size_t i = 0; i < places_[place].changes.size(); ++i) {
    std::vector<const Change*> more = told;
    more.push_back(&places_[place].changes[i]);
    From(place + 1, lies - 1, more, absl::StrCat(what, places_[place].what, " in way ", i, ", "), show);
  }
}

}  // namespace tally
