// The order of the entries of a trace: which value comes after which (docs/spec/trace.md#entries).
//
//   TraceOrder order(module, committed, [&](const ValuePlace& flag) { return IsSet(flag); });
//   ASSIGN_OR_RETURN(const std::optional<ValuePlace> first, order.First());
//   ASSIGN_OR_RETURN(const std::optional<ValuePlace> second, order.After(*first));
//
// The program and the conditions that a run has computed before decide it: whoever holds the elements of
// these conditions can say which entry follows any other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "vm/committed_values.h"
#include "vm/referee.h"
#include "vm/valid_module.h"

namespace tally {

class TraceOrder {
 public:
  // Whether element 0 of a value of the run is not 0: a condition of an if or a loop.
  using IsSet = std::function<absl::StatusOr<bool>(const ValuePlace&)>;

  // Arguments outlive this.
  TraceOrder(const ValidModule& module, const CommittedValues& committed, IsSet is_set)
      : module_(module), committed_(committed), is_set_(std::move(is_set)) {}

  // The first entry of the trace, and the one after another; nothing where there is none. Errors: those of
  // is_set.
  absl::StatusOr<std::optional<ValuePlace>> First() const { return From({}, 0); }
  absl::StatusOr<std::optional<ValuePlace>> After(const ValuePlace& place) const;

  // Whether some run can have an entry there.
  bool Contains(const ValuePlace& place) const;

 private:
  absl::StatusOr<std::optional<ValuePlace>> From(std::vector<CallSite> path, size_t step) const;
  absl::StatusOr<std::optional<int64_t>> FirstInvocation(const std::vector<CallSite>& path,
                                                         size_t step) const;
  absl::StatusOr<bool> GoesOn(const std::vector<CallSite>& path, CallSite site) const;
  bool HasEntries(size_t function) const;

  const ValidModule& module_;
  const CommittedValues& committed_;
  IsSet is_set_;
};

}  // namespace tally
