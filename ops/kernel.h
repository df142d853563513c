// The operands of a kernel of the cpu engine, and the entry that names it.
//
//   struct ClipParams { MapLoops<1> loops; int64_t lo, hi; };
//   std::optional<Prepared<ClipParams>> PrepareClip(const KernelFacts& facts);
//   template <Isa isa>
//   void RunClip(const ClipParams& p, const KernelCall& call) noexcept;
//
// `prepare` is a pure function of what is known when a plan is made: nothing where the kernel does not take
// the call, else all that is the same for each run, such as attributes, strides and the choice of a loop. A
// run computes what the reference of the operator defines, bit for bit. It allocates nothing, never fails,
// and reads nothing but its parameters and its call. Entries are made in ops/<family>/cpu
// (ops/cpu/kernel_table.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/cpu_flags.h"
#include "base/layout.h"
#include "base/tensor.h"
#include "ops/attributes.h"
#include "ops/op_table.h"
#include "ops/tensor_type.h"

namespace tally {

// A dense operand or result. Its bytes start at a multiple of kBufferAlignment; those of a constant, at a
// multiple of the size of an element.
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
  uint8_t* bytes;  // may be the bytes of an operand where the entry says in_place

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
  std::span<const KernelOperand> operands;
  std::span<const KernelResult> results;
  uint8_t* scratch = nullptr;  // this thread's: as many bytes as was prepared for, 64-byte aligned
  int part = 0;                // which thread this is
  int parts = 1;               // as many run the same call

  // This thread's.
  Share ShareOf(int64_t items, int64_t grain = 1) const { return tally::ShareOf(items, part, parts, grain); }
};

// The facts of a call that are known when a plan is made. Selection is a pure function of it.
struct KernelFacts {
  Opcode op;
  const Attributes* attributes;
  std::span<const TensorType> operands;
  std::span<const Storage> storages;             // for the operands
  std::span<const TensorView* const> constants;  // the constant that an operand is, or null
  std::span<const TensorType> results;
  Interval accumulator;               // InstructionFacts::accumulator
  Layout layout = Layout::kRowMajor;  // per operand and result of rank 3 and more that is no constant

  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// The data that a kernel prepares from the facts of a call, once for all runs of a plan, which keeps it for
// each step: it points at nothing of the facts, and has some KiB at most.
template <typename Params>
struct Prepared {
  Params params;
  int64_t scratch_bytes = 0;  // for each thread
};

// The same without its type.
struct PreparedKernel {
  std::shared_ptr<const void> params;  // null where there are none
  int64_t scratch_bytes = 0;
};

struct KernelEntry {
  Opcode op;
  std::string_view name;  // <op>_<types>_<isa>
  CpuFlags flags;         // flags that the machine must have
  Layout layout;
  // Result 0 may reuse the bytes of operand 0 where both have one shape and one storage and no other operand
  // is the same value.
  bool in_place;
  std::optional<PreparedKernel> (*prepare)(const KernelFacts&);
  void (*run)(const void* params, const KernelCall&) noexcept;  // with those of its own `prepare`
};

}  // namespace tally
