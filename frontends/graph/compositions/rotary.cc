#include "frontends/graph/compositions/rotary.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/graph/compositions/attention.h"
#include "frontends/graph/compositions/layout.h"

namespace tally::frontend {
namespace {

using quant::Shape;

// A table of angles, [B, S, R / 2], beside pairs of heads.
absl::StatusOr<Operand> BesideHeads(Emitter& emitter, const Operand& table, int64_t pairs, const char* step) {
  const Shape& shape = table.shape();
  if (shape.size() != 3 || shape[2] != pairs) return BadShape("its table of angles", table);
  return emitter.Emit(quant::Reshape{{shape[0], shape[1], 1, pairs}}, {table}, step);
}

// The first or the second of each pair of x [B, S, N, R].
absl::StatusOr<Operand> OfPairs(Emitter& emitter, const Operand& x, bool interleaved, int64_t which) {
  const Shape& shape = x.shape();
  const int64_t pairs = shape[3] / 2;
  const char* step = which == 0 ? "first" : "second";
  if (!interleaved) return Part(emitter, x, 3, which * pairs, (which + 1) * pairs, step);
  ASSIGN_OR_RETURN(const Operand apart,
                   emitter.Emit(quant::Reshape{{shape[0], shape[1], shape[2], pairs, 2}}, {x}, "pairs"));
  ASSIGN_OR_RETURN(const Operand one, Part(emitter, apart, 4, which, which + 1, step));
  return emitter.Emit(quant::Reshape{{shape[0], shape[1], shape[2], pairs}}, {one}, step);
}

}  // namespace

absl::StatusOr<Operand> Rotated(Emitter& emitter, const Operand& x, const Operand& cos, const Operand& sin,
                                const RotaryForm& form) {
  const Shape shape = x.shape();
  if (shape.size() != 3 || form.heads < 1 || shape[2] % form.heads != 0) return BadShape("what is turned", x);
  const int64_t features = shape[2] / form.heads, width = form.width == 0 ? features : form.width;
  if (width < 2 || width % 2 != 0 || width > features) return BadShape("what is turned", x);
  ASSIGN_OR_RETURN(const Operand heads,
                   emitter.Emit(quant::Reshape{{shape[0], shape[1], form.heads, features}}, {x}, "heads"));
  ASSIGN_OR_RETURN(const Operand turning, Part(emitter, heads, 3, 0, width, "turning"));
  ASSIGN_OR_RETURN(const Operand c, BesideHeads(emitter, cos, width / 2, "cos"));
  ASSIGN_OR_RETURN(const Operand s, BesideHeads(emitter, sin, width / 2, "sin"));
  ASSIGN_OR_RETURN(const Operand a, OfPairs(emitter, turning, form.interleaved, 0));
  ASSIGN_OR_RETURN(const Operand b, OfPairs(emitter, turning, form.interleaved, 1));
  const auto product = [&](const Operand& p, const Operand& q, const char* step) {
    return emitter.Emit(quant::Mul{}, {p, q}, step);
  };
  ASSIGN_OR_RETURN(const Operand ac, product(a, c, "a_cos"));
  ASSIGN_OR_RETURN(const Operand bs, product(b, s, "b_sin"));
  ASSIGN_OR_RETURN(const Operand as, product(a, s, "a_sin"));
  ASSIGN_OR_RETURN(const Operand bc, product(b, c, "b_cos"));
  ASSIGN_OR_RETURN(Operand first, emitter.Emit(quant::Sub{}, {ac, bs}, "turned_first"));
  ASSIGN_OR_RETURN(Operand second, emitter.Emit(quant::Add{}, {as, bc}, "turned_second"));
  if (first.shape() != a.shape()) return BadShape("its table of angles", cos);
  Operand turned;
  if (form.interleaved) {
    const quant::Reshape apart = {{shape[0], shape[1], form.heads, width / 2, 1}};
    ASSIGN_OR_RETURN(first, emitter.Emit(apart, {first}, "first_apart"));
    ASSIGN_OR_RETURN(second, emitter.Emit(apart, {second}, "second_apart"));
    ASSIGN_OR_RETURN(turned, emitter.Emit(quant::Concat{4}, {first, second}, "pairs_turned"));
    ASSIGN_OR_RETURN(
        turned, emitter.Emit(quant::Reshape{{shape[0], shape[1], form.heads, width}}, {turned}, "turned"));
  } else {
    ASSIGN_OR_RETURN(turned, emitter.Emit(quant::Concat{3}, {first, second}, "turned"));
  }
  if (width < features) {
    ASSIGN_OR_RETURN(const Operand rest, Part(emitter, heads, 3, width, features, "rest"));
    ASSIGN_OR_RETURN(turned, emitter.Emit(quant::Concat{3}, {turned, rest}, "all"));
  }
  return emitter.Emit(quant::Reshape{shape}, {turned}, "rotated");
}

}  // namespace tally::frontend
