// How random instructions come to be networks: moves write what producers write, next to what they write it
// next to.
//
//   Swarm swarm = DrawSwarm(e, Profile::kCore);
//   Network network(e, swarm, draft);
//   const Move& move = *e.PickFrom(swarm.moves);
//   move.make(network);  // a convolution of the newest image, say
//
// What a module may have at all is drawn first (swarm testing): a module with few kinds of things has them
// side by side, where one with all kinds has each of them alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fuzz/generators/call_generator.h"

namespace tally {

inline constexpr Interval kByteRange = {-128, 127};
inline constexpr int64_t kFar = int64_t{1} << 40;  // far beyond 32 bits
inline const Want kAnything = {.min_rank = 1, .max_rank = kMaxRank};

class Network;

// Appends one or more instructions. False when it found no place for them: what it added is to be rolled
// back.
struct Move {
  std::string_view name;
  bool (*make)(Network&);
  Profile profile = Profile::kCvm;  // kCore: it has no form in profile cvm
};

// Moves that make sums, that follow them, that move no element, and that join values.
std::span<const Move> AllMoves();
std::span<const Move> MovesOfGemm();
std::span<const Move> MovesBehindGemm();
std::span<const Move> MovesOfViews();
std::span<const Move> MovesOfJoins();

enum class Sizes : uint8_t {
  kSmall,
  kOnes,
  kTiles,
  kLines
};  // kLines: multiples of 16, so that bytes end on cache lines
enum class Ranges : uint8_t { kBytes, kMixed, kWide };
// The sources of values that do not exist yet: parameters and some of all else (fuzz/generators/places.h);
// mostly images with channels side by side; or steps alone.
enum class Inputs : uint8_t { kAny, kImages, kSteps };

// The parts of a module.
struct Swarm {
  std::vector<const Move*> moves;  // may be empty
  std::vector<const OpInfo*> ops;  // for instructions that no move writes; not empty
  int any_op_in = 1;               // one instruction in so many is of any operator of `ops`
  int result_in = 8;               // one value in so many that something reads is a result too
  Sizes sizes = Sizes::kSmall;
  Ranges ranges = Ranges::kMixed;
  bool batches = false;  // with more than one element
  Inputs inputs = Inputs::kAny;
};

Swarm DrawSwarm(EntropySource& e, const ModuleDraft& draft);

// The same for a function of the module; of everything where `swarm` is null.
Swarm SwarmOfBody(const Swarm* swarm, const ModuleDraft& body);

// A draft that grows by moves.
class Network {
 public:
  Network(EntropySource& entropy, const Swarm& swarm_in, ModuleDraft& draft_in)
      : e(entropy), swarm(swarm_in), draft(draft_in) {}

  EntropySource& e;
  const Swarm& swarm;
  ModuleDraft& draft;

  const TensorType& type(DraftId id) const { return draft.type(id); }
  const Shape& shape(DraftId id) const { return draft.type(id).shape; }
  bool is_cvm() const { return draft.profile() == Profile::kCvm; }

  // A number of channels, columns or units, at most `most`, which is at least 1; and a number of positions.
  int64_t Channels(int64_t most);
  int64_t Positions();
  // A rank of images: of one axis or three, mostly of two.
  int ImageRank() { return e.Pick({4, 4, 3, 5}); }
  // An axis, as often as not the first that has more than one element: parts along it are neighbours in
  // memory.
  int AnyAxis(const Shape& shape);
  // The intervals of activations, of weights, and of what is added to sums.
  Interval Elements();
  Interval Weights();
  Interval Biases();
  // A zero point for elements of `range`: none, of them, an end of them, or far away.
  int64_t Zero(const Interval& range);

  // Mostly the newest value that is as wanted and no constant, sometimes an older one; nothing where there is
  // none.
  std::optional<DraftId> Find(const Want& want);
  // The same, or a new parameter; in a body that takes no more of them a constant.
  DraftId Take(const Want& want);
  // A value of `rank`: one that there is, another one reshaped, or a new one.
  DraftId TakeOfRank(int rank, const Interval& within);
  // A constant whose elements are random, or nothing but ends of the interval, or all the same.
  DraftId Constant(const Shape& shape, const Interval& interval);
  // `shape` as another number of dims: neighbours become one, or one is cut in two.
  Shape Folded(const Shape& shape, int rank);

  // Appends an instruction of `op` as its generator draws it, mostly on what is new. False where that was
  // refused. And one of any operator of the swarm.
  bool AddOperator(Opcode op);
  bool AddAnyOperator() { return AddOperator(e.PickFrom(swarm.ops)->code); }
  // Appends an instruction; its first result, or nothing where it is refused.
  std::optional<DraftId> Emit(Opcode op, const std::vector<DraftId>& operands, const Attributes& attributes);
  template <typename Attrs = NoAttrs>
  std::optional<DraftId> Op(Opcode op, const std::vector<DraftId>& operands, const Attrs& attrs = {}) {
    return Emit(op, operands, Pack(attrs));
  }

 private:
  DraftId NewValue(const Want& want);
};

}  // namespace tally
