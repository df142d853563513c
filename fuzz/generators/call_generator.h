// How random instructions come to be mostly valid: a generator per operator chooses operands that fit
// together.
//
//   Attempt DrawDense(CallContext& c) {
//     const DraftId data = c.Operand({.min_rank = 2, .max_rank = 2});
//     const DraftId weight = c.Operand({.shape = ShapeOf({c.e.Between(1, 4), c.type(data).shape[1]})});
//     return {{data, weight}};
//   }
//
// What a generator leaves open comes from the operator's row; an operator without a generator is drawn from
// its row alone. A generator need not be right every time, and should not be: refusals are interesting too.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "fuzz/generators/entropy_source.h"
#include "fuzz/generators/module_draft.h"

namespace tally {

enum class Source : uint8_t { kAny, kConstant, kComputed };

// The wanted form of an operand.
struct Want {
  std::optional<Shape> shape = {};  // else of these ranks
  int min_rank = 0;                 // at least 1 in profile cvm
  int max_rank = 4;
  Interval within = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  int max_precision = 32;        // for the published precision, in profile cvm
  Source source = Source::kAny;  // kComputed: a parameter or the result of an operator, not a constant
};

bool Fits(const ModuleDraft& draft, DraftId id, const Want& want);

struct Attempt {
  std::vector<DraftId> operands;
  std::optional<Attributes> attributes = {};  // from the row when absent
};

struct Swarm;  // fuzz/generators/network.h

struct CallContext {
  const OpInfo& op;
  ModuleDraft& draft;
  EntropySource& e;
  const Swarm* swarm = nullptr;  // for bodies; and operands are then mostly what is new

  const TensorType& type(DraftId id) const { return draft.type(id); }
  const Shape& shape(DraftId id) const { return draft.type(id).shape; }

  // A value of the draft that is as wanted, or a new parameter or constant.
  DraftId Operand(const Want& want);

  // A new constant with the given elements.
  DraftId Constant(const Shape& shape, const std::vector<int64_t>& values);

  // Attributes within the ranges of the row, mostly small.
  Attributes RandomAttributes();

  // An axis in [-rank, rank), both spellings; 0 for rank 0.
  int64_t Axis(int rank) { return rank == 0 ? 0 : e.Between(-rank, rank - 1); }

  // Some axes of [-rank, rank), each at most once.
  std::vector<int64_t> Axes(int rank);
};

// The dim of an axis in [-rank, rank).
int64_t DimAt(const Shape& shape, int64_t axis);

std::vector<int64_t> DimList(const Shape& shape);

// The shape, or a scalar when `dims` are no shape.
Shape ShapeOf(const std::vector<int64_t>& dims);

using CallGenerator = Attempt (*)(CallContext&);

// Null for operators that their row describes well enough.
CallGenerator FindCallGenerator(Opcode op);

// A random instruction of c.op, by its generator or by its row.
Attempt DrawAttempt(CallContext& c);

// Adds to `draft` what `steps` moves and single instructions of `swarm` write.
void GrowDraft(EntropySource& e, const Swarm& swarm, int64_t steps, ModuleDraft& draft);

// Every value that nothing reads, now and then one that something reads, and one twice.
std::vector<DraftId> ChooseResults(EntropySource& e, const Swarm& swarm, const ModuleDraft& draft);

}  // namespace tally
