// The referee of one element: computes it by the references, from the few elements that it is made of.
//
//   Referee<FormalInt> referee(module, committed, elements);
//   ASSIGN_OR_RETURN(const FormalInt y, referee.Judge({path, id}, element));
//
// Int is FormalInt, whose arithmetic is that of the definition, or TrappingInt, which is an int64_t that
// refuses what does not fit: what both say of honest values is the same. Nothing is taken for granted of the
// elements that are read but that each is in the interval of its type, which is checked.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/op_table.h"
#include "ops/read_set.h"
#include "ops/reference.h"
#include "vm/call_path.h"
#include "vm/committed_values.h"
#include "vm/valid_module.h"

namespace tally {

// A value of a run: the calls around the body that computed it, and its number in the function of that body.
struct ValuePlace {
  std::vector<CallSite> path;
  ValueId id = 0;

  friend auto operator<=>(const ValuePlace&, const ValuePlace&) = default;
};

// The number of the instruction that computes a value: its results begin at or before it.
size_t StepOf(const FunctionFacts& function, ValueId id);

// The facts about the elements of a run.
class KnownElements {
 public:
  // An element of a parameter of the entry (its path is empty), of a constant of the function, or of a value
  // that a trace commits to. Errors, such as leaf_missing, end the judgement.
  virtual absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) = 0;

  // An element of a folded value that was judged apart, by its expansion (vm/element_steps.h); null where it
  // is computed on the way.
  virtual std::optional<int64_t> Expanded(const ValuePlace& /*place*/, int64_t /*element*/) {
    return std::nullopt;
  }

 protected:
  ~KnownElements() = default;
};

// An instruction whose operands a referee reads, and which of its results is meant.
template <typename Int>
struct JudgedInstruction {
  Opcode op;
  const Attributes* attributes;
  int result;
  std::span<const TensorType> results;
  std::vector<TensorType> types;  // the operands have
  int64_t run_gas;                // that a run of the module costs
  std::vector<std::unique_ptr<ElementSource<Int>>> sources;
  std::vector<Operand<Int>> operands;

  // The question to the read set about one element. This outlives it.
  ReadContext Context(int64_t element) const { return {attributes, types, results, result, element}; }
};

template <typename Int>
class Referee {
 public:
  // Arguments outlive this. It reads `most_reads` elements at most, and does no more work for an element than
  // that takes: of modules that nobody has validated, an element may ask for any work.
  Referee(const ValidModule& module, const CommittedValues& committed, KnownElements& known,
          int64_t most_reads = std::numeric_limits<int64_t>::max())
      : module_(module),
        committed_(committed),
        known_(known),
        most_reads_(most_reads),
        reads_left_(most_reads) {}

  // Element `element` of a value that an instruction computes. Values that are folded into its instruction
  // are computed on the way; those of functions that it runs are read where they are committed to. Errors:
  // those of `known`; element_interval, for an element that is read and is outside the interval of its type;
  // element_overflow, where TrappingInt would wrap; judgement_size, where it asks for more than it may.
  absl::StatusOr<Int> Judge(const ValuePlace& place, int64_t element);

  // The same for any value of a run: it is read where it is committed to, and computed where it is folded.
  absl::StatusOr<Int> ElementOf(const ValuePlace& place, int64_t element);

  // The instruction that computes a value, which runs no function. Reading its operands throws what EndOf
  // catches (vm/judgement.h).
  JudgedInstruction<Int> InstructionOf(const ValuePlace& place);

 private:
  class Source;

  Int Compute(const ValuePlace& place, int64_t element);
  Int Element(const ValuePlace& place, int64_t element);
  Int ResultOfFunctions(const ValuePlace& place, size_t step, size_t result, int64_t element);
  int64_t TripsOf(const ValuePlace& place, size_t step);
  Int ResultOfLoop(const ValuePlace& place, size_t step, size_t result, int64_t element);
  Int Argument(const ValuePlace& place, int64_t element);
  Int ResultOfCall(const ValuePlace& place, size_t step, int64_t invocation, size_t result, int64_t element);

  const FunctionFacts& FactsAt(const ValuePlace& place, size_t* function) const;
  void CountRead();
  void CheckWork(const JudgedInstruction<Int>& judged, const ReadContext& c, int64_t gas) const;

  const ValidModule& module_;
  const CommittedValues& committed_;
  KnownElements& known_;
  const int64_t most_reads_;
  int64_t reads_left_;
};

}  // namespace tally
