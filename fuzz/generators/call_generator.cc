#include "fuzz/generators/call_generator.h"

#include <algorithm>
#include <utility>

#include "fuzz/generators/network.h"
#include "fuzz/generators/places.h"
#include "fuzz/generators/values.h"
#include "ops/infer.h"

namespace tally {
namespace {

int64_t RandomScalar(EntropySource& e, const AttrSpec& spec) {
  switch (e.Between(0, 9)) {
    case 0: return spec.lo;
    case 1: return spec.hi;
    case 2: return e.Between(spec.lo, spec.hi);
    default: break;
  }
  const auto clamp = [&](int64_t v) { return std::clamp(v, spec.lo, spec.hi); };
  return e.Between(clamp(-2), clamp(4));
}

AttrValue RandomAttribute(EntropySource& e, const AttrSpec& spec) {
  AttrValue value(e.Between(spec.min_length, std::min(spec.max_length, spec.min_length + 4)));
  for (int64_t& element : value) element = RandomScalar(e, spec);
  return value;
}

// Operands of one shape, mostly; for the rest the row says all that is known.
Attempt DrawFromRow(CallContext& c) {
  Attempt attempt;
  const int64_t count = c.e.Between(c.op.min_operands, std::min(c.op.max_operands, c.op.min_operands + 2));
  for (int64_t i = 0; i < count; ++i) {
    Want want;
    if (i > 0 && !c.e.OneIn(4)) want.shape = c.shape(attempt.operands[0]);
    attempt.operands.push_back(c.Operand(want));
  }
  return attempt;
}

}  // namespace

bool Fits(const ModuleDraft& draft, DraftId id, const Want& want) {
  const TensorType& type = draft.type(id);
  if (want.shape.has_value() ? type.shape != *want.shape
                             : type.shape.rank() < want.min_rank || type.shape.rank() > want.max_rank) {
    return false;
  }
  const Source unwanted = draft.is_constant(id) ? Source::kComputed : Source::kConstant;
  return want.source != unwanted && want.within.Contains(type.interval) &&
         (draft.profile() == Profile::kCore || draft.precision(id) <= want.max_precision);
}

DraftId CallContext::Operand(const Want& want) {
  const Inputs inputs = swarm == nullptr ? Inputs::kAny : swarm->inputs;
  const bool images = inputs == Inputs::kImages && !want.shape && want.max_rank > 2 && !e.OneIn(6);
  std::vector<DraftId> candidates;
  for (DraftId id = 0; id < draft.size(); ++id) {
    if (Fits(draft, id, want) && (!images || shape(id).rank() > 2)) candidates.push_back(id);
  }
  if (!candidates.empty() && !e.OneIn(4)) {
    return swarm != nullptr && !e.OneIn(4) ? candidates.back() : e.PickFrom(candidates);
  }

  const bool cvm = draft.profile() == Profile::kCvm;
  Interval limit = TensorLimit(draft.profile());
  if (cvm) {
    const int64_t bound = (int64_t{1} << (want.max_precision - 1)) - 1;
    limit = {-bound, bound};
  }
  limit = {std::clamp(want.within.lo, limit.lo, limit.hi), std::clamp(want.within.hi, limit.lo, limit.hi)};
  TensorType type;
  if (want.shape.has_value()) {
    type.shape = *want.shape;
  } else {
    const int least = images ? 3 : cvm ? 1 : 0;
    const int min_rank = std::max(want.min_rank, least);
    type.shape = RandomShape(e, min_rank, std::max(want.max_rank, min_rank), draft.limits().max_elements / 4);
  }
  const bool constant = want.source == Source::kConstant ||
                        (want.source == Source::kAny && e.OneIn(inputs == Inputs::kAny ? 3 : 6)) ||
                        !draft.accepts_params();
  // In profile core a constant may be any int64_t; who reads it proves that it does no harm.
  if (constant && !cvm && e.OneIn(16)) limit = want.within;
  type.interval = RandomInterval(e, limit);
  return constant ? draft.AddConstant(RandomTensor(e, type)) : AddInput(e, draft, type, inputs);
}

DraftId CallContext::Constant(const Shape& shape, const std::vector<int64_t>& values) {
  return draft.AddConstant(*Tensor::FromValues(shape, values));
}

Attributes CallContext::RandomAttributes() {
  Attributes attributes;
  for (const AttrSpec& spec : op.attributes) attributes.push_back(RandomAttribute(e, spec));
  return attributes;
}

std::vector<int64_t> CallContext::Axes(int rank) {
  std::vector<int64_t> axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (e.OneIn(2)) axes.push_back(e.OneIn(3) ? axis - rank : axis);
  }
  if (axes.size() > 1 && e.OneIn(3)) std::swap(axes.front(), axes.back());
  return axes;
}

std::vector<int64_t> DimList(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

int64_t DimAt(const Shape& shape, int64_t axis) {
  return shape[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)];
}

Shape ShapeOf(const std::vector<int64_t>& dims) {
  const auto shape = Shape::Create(dims);
  return shape.ok() ? *shape : Shape();
}

Attempt DrawAttempt(CallContext& c) {
  const CallGenerator generate = FindCallGenerator(c.op.code);
  Attempt attempt = generate == nullptr || c.e.OneIn(32) ? DrawFromRow(c) : generate(c);
  if (!attempt.attributes.has_value()) attempt.attributes = c.RandomAttributes();
  return attempt;
}

}  // namespace tally
