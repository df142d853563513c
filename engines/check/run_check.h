// Compares a run of an engine, value by value, with the references: for tests, and for users who doubt an
// engine.
//
//   RunCheck check(*lowered);
//   check.Enter(0, arguments);            // at each call of a function; Leave() at its end
//   check.Compare(id, held, {3, "add_avx2", "wrote"});
//   return check.status();                // the first difference
//
// An engine compares each value where it has it: once it is written or converted, and again before a step
// reads it. So a difference names the step that computed it, or the first that reads bytes which another has
// overwritten.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "ops/kernel.h"
#include "ops/reference.h"
#include "vm/valid_module.h"

namespace tally {

// A value as an engine has it.
struct HeldValue {
  Layout layout = Layout::kRowMajor;
  Storage storage = Storage::kI8;
  const uint8_t* bytes = nullptr;
};

// The step that has to do with a value, and what it did, for people.
struct CheckPoint {
  size_t step;
  std::string_view kernel, did;
};

class RunCheck {
 public:
  // `module`: as the engine compiles it. It outlives this.
  explicit RunCheck(const ValidModule& module) : module_(module) {}

  // Computes the values of a call by the references. After a difference nothing more is computed or compared.
  void Enter(size_t function, std::span<const Operand<int64_t>> arguments);
  // The same of the entry, with the inputs of a run.
  void EnterEntry(std::span<const TensorView> inputs);
  void Leave();

  // `id`: of the function that was entered last.
  void Compare(ValueId id, const HeldValue& held, const CheckPoint& at);
  // Result `r` of that function, at its end.
  void CompareResult(size_t r, const HeldValue& held);

  // check_failed, or OK.
  const absl::Status& status() const { return status_; }

 private:
  struct Call {
    size_t function;
    std::vector<std::optional<Tensor>> values;
  };

  const ValidModule& module_;
  std::deque<Call> calls_;
  absl::Status status_;
};

}  // namespace tally
