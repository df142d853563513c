// What a kernel of the cpu engine sees, and the entry that names it.
//
//   void ReluS8(const KernelCall& call) noexcept {
//     const Share share = call.ShareOf(call.results[0].type->shape.num_elements());
//     const int8_t* x = call.operands[0].as<int8_t>();
//     ...
//   }
//
// A kernel computes what the reference of its operator defines, bit for bit, for the calls that its entry accepts. It
// allocates nothing, never fails, and reads nothing but its call. Entries are in
// ops/<family>/cpu/kernels.inc, best first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/cpu_flags.h"
#include "base/tensor.h"
#include "ops/attributes.h"
#include "ops/op_table.h"
#include "ops/tensor_type.h"

namespace tally {

// The order of the elements of a value of rank 3 to 5 in memory. Everything else is kRowMajor.
enum class Layout : uint8_t {
  kRowMajor,      // as the shape says: [N, C, spatial..]
  kChannelsLast,  // [N, spatial.., C], while the shape still says [N, C, spatial..]
};

// Whether the two layouts differ for values of this shape's rank.
inline bool HasChannels(const Shape& shape) { return shape.rank() >= 3 && shape.rank() <= 5; }

// A dense operand or result. Its bytes start at a multiple of kBufferAlignment; those of a constant, at a multiple of
// the size of an element.
struct KernelOperand {
  const TensorType* type;
  // The narrowest storage of the interval; for constants, of their values.
  Storage storage;
  const uint8_t* bytes;

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes);
  }
};

struct KernelResult {
  const TensorType* type;
  Storage storage;
  uint8_t* bytes;  // may be the bytes of an operand where the entry says kInPlace

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(bytes);
  }
};

// The items [begin, end) that one thread of a call works on.
struct Share {
  int64_t begin;
  int64_t end;
};

// Splits `items` evenly, at multiples of `grain`, so that no two of `parts` threads touch the same item.
inline Share ShareOf(int64_t items, int part, int parts, int64_t grain = 1) {
  const int64_t grains = (items + grain - 1) / grain;
  return {std::min(items, grains * part / parts * grain),
          std::min(items, grains * (part + 1) / parts * grain)};
}

struct KernelCall {
  const Attributes* attributes;
  std::span<const KernelOperand> operands;
  std::span<const KernelResult> results;
  uint8_t* scratch = nullptr;  // of this thread: as many bytes as the entry asks for, 64-byte aligned
  int part = 0;                // which thread this is
  int parts = 1;               // of how many that run the same call

  // This thread's.
  Share ShareOf(int64_t items, int64_t grain = 1) const { return tally::ShareOf(items, part, parts, grain); }
  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// What is known of a call when a plan is made. Selection is a pure function of it.
struct KernelFacts {
  Opcode op;
  const Attributes* attributes;
  std::span<const TensorType> operands;
  std::span<const Storage> storages;             // of the operands
  std::span<const TensorView* const> constants;  // the constant that an operand is, or null
  std::span<const TensorType> results;
  Interval accumulator;               // InstructionFacts::accumulator
  Layout layout = Layout::kRowMajor;  // of every operand and result of rank 3 and more that is no constant

  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

using KernelFn = void (*)(const KernelCall&) noexcept;

struct KernelEntry {
  Opcode op;
  std::string_view name;  // <op>_<types>_<isa>
  CpuFlags flags;         // what the machine must have
  Layout layout;
  bool (*accepts)(const KernelFacts&);
  int64_t (*scratch_bytes)(const KernelFacts&);  // for each thread; null: none
  // Result 0 may reuse the bytes of operand 0 where both have one shape and one storage and no other operand is the
  // same value.
  bool in_place;
  KernelFn run;
};

}  // namespace tally
