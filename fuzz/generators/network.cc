#include "fuzz/generators/network.h"

#include <algorithm>
#include <utility>

#include "fuzz/generators/places.h"
#include "fuzz/generators/values.h"
#include "ops/layout/attrs.h"

namespace tally {
namespace {

// Both at its ends, and a little apart.
Interval Odd(EntropySource& e) {
  return e.Pick<Interval>(
      {{0, 255}, {-3, 90}, {1000, 1255}, {-128, -128}, {127, 127}, {-5, 250}, {0, 1}, {0, 127}});
}

Interval Wide(EntropySource& e) {
  return e.Pick<Interval>({{-32768, 32767},
                           {-32768, -32768},
                           {0, 65535},
                           {32766, 32768},
                           {-100000, 100000},
                           RangeOf(Storage::kI32),
                           {-kFar, kFar},
                           {kFar, kFar + 1}});
}

Interval Within(const Interval& interval, const Interval& limit) {
  return {std::clamp(interval.lo, limit.lo, limit.hi), std::clamp(interval.hi, limit.lo, limit.hi)};
}

}  // namespace

int64_t Network::Channels(int64_t most) {
  const int64_t size = [&] {
    switch (swarm.sizes) {
      case Sizes::kOnes: return e.OneIn(3) ? e.Between(1, 4) : 1;
      case Sizes::kTiles:
        return e.OneIn(3) ? e.Between(1, 9) : e.Pick<int64_t>({8, 14, 16, 32, 64}) + e.Between(-1, 1);
      case Sizes::kLines: return e.Pick<int64_t>({16, 32, 64, 64});
      case Sizes::kSmall: break;
    }
    return e.Between(1, 6);
  }();
  return std::min(size, most);
}

int64_t Network::Positions() {
  switch (swarm.sizes) {
    case Sizes::kOnes: return e.OneIn(3) ? e.Between(1, 4) : 1;
    case Sizes::kTiles: return e.OneIn(4) ? e.Between(1, 18) : e.Between(1, 4);
    case Sizes::kLines: return e.Pick<int64_t>({1, 2, 4});
    case Sizes::kSmall: break;
  }
  return e.Between(1, 5);
}

int Network::AnyAxis(const Shape& shape) {
  int outermost = 0;
  while (outermost + 1 < shape.rank() && shape[outermost] == 1) ++outermost;
  return e.OneIn(2) ? outermost : static_cast<int>(e.Between(0, shape.rank() - 1));
}

Interval Network::Elements() {
  if (is_cvm()) return {-127, 127};
  if (swarm.ranges == Ranges::kBytes) return e.OneIn(3) ? Odd(e) : kByteRange;
  if (swarm.ranges == Ranges::kWide) return e.OneIn(4) ? kByteRange : Wide(e);
  return e.OneIn(2) ? kByteRange : e.OneIn(2) ? Odd(e) : Wide(e);
}

Interval Network::Weights() {
  if (is_cvm()) return {-127, 127};
  if (swarm.ranges == Ranges::kBytes)
    return e.Pick<Interval>({kByteRange, kByteRange, {100, 127}, {-128, -100}});
  if (swarm.ranges == Ranges::kWide && e.OneIn(2)) return RangeOf(Storage::kI16);
  return e.Pick<Interval>(
      {kByteRange, kByteRange, {-1, 3}, {100, 127}, {-128, -100}, {-300, 300}, {-32768, 32767}});
}

Interval Network::Biases() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  const Interval bias = e.Pick<Interval>({{-20, 20},
                                          {-20, 20},
                                          {-100000, 100000},
                                          {kI32.lo + (1 << 17), kI32.lo + (1 << 18)},
                                          {kI32.hi - (1 << 18), kI32.hi - (1 << 17)},
                                          {-kFar, kFar}});
  return Within(bias, TensorLimit(draft.profile()));
}

int64_t Network::Zero(const Interval& range) {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  const Interval near = Within(range, kI32);
  switch (e.Between(0, 9)) {
    case 0:
    case 1:
    case 2: return e.Between(near.lo, near.hi);
    case 3: return near.lo;
    case 4: return near.hi;
    case 5:
      return swarm.ranges == Ranges::kBytes ? 0
                                            : e.Pick<int64_t>({-900, 900, -40000, 40000, kI32.lo, kI32.hi});
    default: return 0;
  }
}

std::optional<DraftId> Network::Find(const Want& want) {
  std::optional<DraftId> found;
  for (DraftId id = draft.size(); id-- > 0;) {
    if (draft.is_constant(id) || !Fits(draft, id, want)) continue;
    found = id;
    if (!e.OneIn(4)) break;
  }
  return found;
}

DraftId Network::Take(const Want& want) {
  if (!e.OneIn(12)) {
    if (const auto found = Find(want)) return *found;
  }
  return NewValue(want);
}

DraftId Network::NewValue(const Want& want) {
  TensorType type = {Shape(), Within(Elements(), want.within)};
  if (want.shape) {
    type.shape = *want.shape;
  } else {
    const int rank = static_cast<int>(e.Between(std::max(want.min_rank, is_cvm() ? 1 : 0), want.max_rank));
    int64_t room = draft.limits().max_elements / 4;  // its reader may have more
    std::vector<int64_t> dims;
    for (int axis = 0; axis < rank; ++axis) {
      const bool batch = axis == 0 && rank > 2, channels = rank < 3 || axis == 1;
      const int64_t dim = batch      ? (swarm.batches ? e.Between(1, 3) : 1)
                          : channels ? Channels(room)
                                     : Positions();
      const bool flat = rank == 5 && axis == 2 && e.OneIn(2);  // an axis that is as good as missing
      dims.push_back(flat ? 1 : std::min(dim, room));
      room /= dims.back();
    }
    type.shape = ShapeOf(dims);
  }
  return draft.accepts_params() && !e.OneIn(12) ? AddInput(e, draft, type, swarm.inputs)
                                                : Constant(type.shape, type.interval);
}

DraftId Network::TakeOfRank(int rank, const Interval& within) {
  const Want want = {.min_rank = rank, .max_rank = rank, .within = within};
  if (e.OneIn(4)) {
    const auto other = Find({.min_rank = 1, .max_rank = kMaxRank, .within = within});
    if (other && shape(*other).rank() != rank) {
      const Shape folded = Folded(shape(*other), rank);
      const ReshapeAttrs attrs = {.shape = {folded.dims().begin(), folded.dims().end()}};
      if (const auto reshaped = Op(Opcode::kReshape, {*other}, attrs)) return *reshaped;
    }
  }
  return Take(want);
}

DraftId Network::Constant(const Shape& shape, const Interval& interval) {
  const int64_t count = shape.num_elements();
  const std::vector<uint8_t> noise = NoiseBytes(static_cast<uint64_t>(e.Between(0, 0xffff)), 4 * count);
  EntropySource source(noise);
  const int64_t kind = e.Between(0, 7);
  Tensor tensor(shape, NarrowestStorage(interval));
  const auto any = [&] {
    const uint64_t width = interval.Width();
    // Three bytes of noise for each element: wider intervals are met near both ends.
    const int64_t step = source.Between(0, static_cast<int64_t>(std::min<uint64_t>(width, 0xffffff)));
    return source.OneIn(2) ? interval.lo + step : interval.hi - step;
  };
  const int64_t first = any();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = kind == 0   ? interval.lo
                          : kind == 1 ? (source.OneIn(2) ? interval.lo : interval.hi)
                          : kind == 2 ? first
                                      : any();
    StoreElement(tensor.storage(), tensor.mutable_bytes().data(), i, value);
  }
  return draft.AddConstant(std::move(tensor));
}

Shape Network::Folded(const Shape& shape, int rank) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const auto any = [&](size_t count) {
    return static_cast<size_t>(e.Between(0, static_cast<int64_t>(count) - 1));
  };
  while (static_cast<int>(dims.size()) > std::max(rank, 1)) {
    const size_t at = e.OneIn(2) ? dims.size() - 2 : any(dims.size() - 1);
    dims[at] *= dims[at + 1];
    dims.erase(dims.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
  while (static_cast<int>(dims.size()) < rank) {
    const size_t at = any(dims.size() + 1);
    int64_t factor = 1;
    if (at < dims.size() && e.OneIn(2)) {
      for (const int64_t f : {2, 3, 4, 8, 16}) {
        if (dims[at] % f == 0 && (factor == 1 || e.OneIn(2))) factor = f;
      }
      dims[at] /= factor;
    }
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(at), factor);
  }
  return ShapeOf(dims);
}

std::optional<DraftId> Network::Emit(Opcode op, const std::vector<DraftId>& operands,
                                     const Attributes& attributes) {
  const DraftId first = draft.size();
  if (!draft.TryEmit(op, operands, attributes)) return std::nullopt;
  return first;
}

}  // namespace tally
