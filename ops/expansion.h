// One element in steps that each read little, for elements that read much (docs/spec/expansion.md).
//
//   template <typename Int>
//   void ExpandReduce(Expansion<Int>& e) {
//     const Column x = e.Part(0);  // the elements of operand 0 that the read set names
//     e.Fold(x.length, Int(0), [=](const StepReads<Int>& r, int64_t i) { return r(x, i); }, Sum<Int>);
//   }
//   TALLY_EXPAND(Reduce);
//
// An expansion is a list of columns of integers. An integer is computed from operands of the instruction and
// from what is before it: earlier columns, and its own up to it. The last column has one, the element. How
// many columns there are and how long they are is a function of types and attributes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "base/storage.h"
#include "ops/read_set.h"
#include "ops/reference.h"

namespace tally {

// The part of a line of any length that is read at once: 8 KiB of the widest integers.
inline constexpr int64_t kTermsAtOnce = 1024;

// An expansion of more throws std::length_error where it is made: a suppression of more than 70,000 boxes
// that are all kept. A judge counts the columns of one in some milliseconds.
inline constexpr int64_t kMostColumns = int64_t{1} << 19;

struct Column {
  int number = 0;
  int64_t length = 1;
};

// Where the integers of columns are.
template <typename Int>
class ColumnSource {
 public:
  // Throws where it is not there.
  virtual Int Read(int column, int64_t i) const = 0;

 protected:
  ~ColumnSource() = default;
};

// The operands of a step.
template <typename Int>
class StepReads {
 public:
  StepReads(std::span<const Operand<Int>> operands, const ColumnSource<Int>& columns)
      : operands_(operands), columns_(columns) {}

  Int operator()(Column column, int64_t i = 0) const { return columns_.Read(column.number, i); }
  // The same where the integer is a position below `end`. Throws where it is none: columns that somebody
  // claims may have anything.
  int64_t Position(Column column, int64_t i, int64_t end) const {
    const Int position = (*this)(column, i);
    if (position < Int(int64_t{0}) || position >= Int(end)) throw std::out_of_range("no such position");
    return static_cast<int64_t>(position);
  }
  const Operand<Int>& operand(size_t k) const { return operands_[k]; }
  std::span<const Operand<Int>> operands() const { return operands_; }

 private:
  std::span<const Operand<Int>> operands_;
  const ColumnSource<Int>& columns_;
};

template <typename Int>
Int Sum(const Int& a, const Int& b) {
  return Int(a + b);
}
template <typename Int>
Int Greater(const Int& a, const Int& b) {
  return a < b ? b : a;
}
template <typename Int>
Int Lesser(const Int& a, const Int& b) {
  return b < a ? b : a;
}

template <typename Int>
class Expansion {
 public:
  // Integer i of a column.
  using StepFn = std::function<Int(const StepReads<Int>&, int64_t i)>;
  struct Steps {
    int64_t length;
    Storage storage;  // in which it is committed to
    StepFn at;
  };

  // `reads` is the read set of the operator. What `c` names outlives this. Of the steps of columns those of
  // number `only` are kept, if there is one: a judge of one integer needs no others.
  Expansion(const ReadContext& c, ReadSet reads, std::optional<int> only = std::nullopt)
      : c_(c), reads_(reads), only_(only) {}

  const ReadContext& context() const { return c_; }
  template <typename Attrs>
  Attrs attrs() const {
    return c_.attrs<Attrs>();
  }
  Region region(int operand) const {
    return ReadsOf(reads_, static_cast<size_t>(operand)).region(c_, operand);
  }
  const std::vector<Steps>& columns() const { return columns_; }

  // A column of no integers is left out: nothing may read it.
  template <typename At>
  Column Map(int64_t length, At at, Storage storage = Storage::kI64) {
    const bool kept = KeepsNext();
    const Column column = Add(length, storage);
    if (kept && length > 0) columns_.back().at = std::move(at);
    return column;
  }

  // The column that Map adds next, for steps that read what is before them in it.
  Column Next(int64_t length) const { return {static_cast<int>(columns_.size()), length}; }

  // A column of one.
  template <typename At>
  Column One(At at) {
    return Map(1, [at](const StepReads<Int>& r, int64_t) { return Int(at(r)); });
  }

  // The elements of a region of an operand, by default that of its read set, row-major.
  Column Part(int operand) { return Part(operand, region(operand)); }
  Column Part(int operand, const Region& region) {
    const TensorType& type = c_.operands[static_cast<size_t>(operand)];
    const auto at = [region, shape = type.shape, operand](const StepReads<Int>& r, int64_t i) {
      return r.operand(static_cast<size_t>(operand))[Flatten(region.At(i), shape)];
    };
    return Map(region.size(), at, type.storage());
  }

  // join(.. join(join(none, term 0), term 1) ..) of `length` terms, chunk by chunk, and again of what the
  // chunks give: join is associative and none is neutral.
  template <typename Term, typename Join>
  Column Fold(int64_t length, const Int& none, const Term& term, Join join) {
    Column column = FoldChunks(length, none, term, join);
    while (column.length > 1) {
      const auto before = [column](const StepReads<Int>& r, int64_t i) { return r(column, i); };
      column = FoldChunks(column.length, none, before, join);
    }
    return column;
  }

  // The sum of `length` terms. A term that is a bool counts as 0 or 1.
  template <typename Term>
  Column SumOf(int64_t length, Term term) {
    const auto integer = [term](const StepReads<Int>& r, int64_t i) { return Int(term(r, i)); };
    return Fold(length, Int(int64_t{0}), integer, Sum<Int>);
  }

  // The first of `length` entries that is meant, or `length`.
  template <typename Means>
  Column FirstOf(int64_t length, Means means) {
    const auto position = [=](const StepReads<Int>& r, int64_t i) { return Int(means(r, i) ? i : length); };
    return Fold(length, Int(length), position, Lesser<Int>);
  }

  // The greatest t in [lo, hi] at which the sum of weight(r, i, t) over `length` entries is at most most(r).
  // It does not fall as t rises, and is small enough at lo. Bit by bit from above.
  template <typename Most, typename Weight>
  Column Bisect(int64_t length, int64_t lo, int64_t hi, Most most, Weight weight) {
    Column best = One([lo](const StepReads<Int>&) { return Int(lo); });
    const int bits = BitLength(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo));
    const auto raise = [&](int bit) {
      const Column next = One([best, hi, step = int64_t{1} << bit](const StepReads<Int>& r) {
        const Int from = r(best);
        return from > Int(hi - step) ? Int(hi) : Int(from + Int(step));
      });
      const Column sum =
          SumOf(length, [=](const StepReads<Int>& r, int64_t i) { return weight(r, i, r(next)); });
      best = One([=](const StepReads<Int>& r) { return r(sum) <= most(r) ? r(next) : r(best); });
    };
    // 2^63 is no int64_t: twice 2^62.
    if (bits == 64) raise(62), raise(62);
    for (int bit = std::min(bits, 63) - 1; bit >= 0; --bit) raise(bit);
    return best;
  }

 private:
  bool KeepsNext() const { return !only_ || *only_ == std::ssize(columns_); }

  Column Add(int64_t length, Storage storage) {
    const Column column = Next(length);
    if (length == 0) return column;
    if (std::ssize(columns_) == kMostColumns) throw std::length_error("an expansion of too many columns");
    columns_.push_back({length, storage, nullptr});
    return column;
  }

  template <typename Term, typename Join>
  Column FoldChunks(int64_t length, const Int& none, const Term& term, Join join) {
    const int64_t chunks = std::max<int64_t>(CeilDiv(length, kTermsAtOnce), 1);
    if (!KeepsNext()) return Add(chunks, Storage::kI64);
    const auto chunk = [=](const StepReads<Int>& r, int64_t k) {
      const int64_t end = std::min(length, (k + 1) * kTermsAtOnce);
      Int all = none;
      for (int64_t i = k * kTermsAtOnce; i < end; ++i) all = join(all, term(r, i));
      return all;
    };
    return Map(chunks, chunk);
  }

  ReadContext c_;
  ReadSet reads_;
  std::optional<int> only_;
  std::vector<Steps> columns_;
};

// Instantiates Expand<Name> for the integers of referees, at the end of its source file.
#define TALLY_EXPAND(Name)                                          \
  template void Expand##Name<TrappingInt>(Expansion<TrappingInt>&); \
  template void Expand##Name<FormalInt>(Expansion<FormalInt>&)

}  // namespace tally
