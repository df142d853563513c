// Compares the values of a run of a schedule with the references, step by step: where a step writes them, and
// before a step reads them.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "absl/status/statusor.h"
#include "engines/check/run_check.h"
#include "engines/compile/schedule.h"

namespace tally {

class CheckedSchedule {
 public:
  // The bytes of a value, which stay until the next call; nothing where they are not to be had. Errors:
  // those of a device.
  using Bring = std::function<absl::StatusOr<std::optional<HeldValue>>(const ValueRef&)>;

  // `module`: as it is compiled; `inputs` as the run has them. Both outlive this.
  CheckedSchedule(const ValidModule& module, std::span<const TensorView> inputs) : check_(module) {
    check_.EnterEntry(inputs);
  }

  // As those of RunCheck.
  void Enter(size_t function, std::span<const Operand<int64_t>> arguments) {
    check_.Enter(function, arguments);
  }
  void Leave() { check_.Leave(); }
  const absl::Status& status() const { return check_.status(); }

  // After `steps` steps of the function that was entered last: what the last of them wrote, and what the next
  // is to read.
  absl::Status After(const Schedule& schedule, size_t steps, const Bring& bring);

 private:
  absl::Status CompareWritten(const Schedule& schedule, size_t steps, const Bring& bring);
  absl::Status CompareRead(const Schedule& schedule, size_t step, const Bring& bring);
  // Which value a buffer holds, the last of several; null where it holds none.
  const HeldRef* HeldIn(const Schedule& schedule, BufferId buffer);

  RunCheck check_;
  std::map<const Schedule*, std::map<BufferId, const HeldRef*>> held_;
};

}  // namespace tally
