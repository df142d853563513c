// The interface of the engine that the reference of a control operator calls.
#pragma once

#include <cstdint>
#include <span>

#include "ops/function_signature.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
class FunctionCaller {
 public:
  virtual FunctionSignature Signature(int64_t function) const = 0;

  // Runs `function` and sets `results`, none of which an argument may view. Arguments have the types of the
  // parameters. `invocation` says which call of the instruction it is: the iteration of a loop, the branch of
  // an if. False: the run has ended early, and nobody reads what the instruction gives.
  [[nodiscard]] virtual bool Call(int64_t function, int64_t invocation,
                                  std::span<const Operand<Int>> arguments,
                                  std::span<const Result<Int>> results) = 0;

  // The next part of the instruction's working memory, after the arena of the functions that it calls. `type`
  // must outlive the instruction.
  virtual Result<Int> Allocate(const TensorType& type) = 0;

 protected:
  ~FunctionCaller() = default;
};

}  // namespace tally
