// Where the scalar engines keep the values of one function while its body runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "ops/reference.h"
#include "vm/valid_module.h"

namespace tally {

// Packed in the narrowest storage, at the offsets that validation planned. Parameters are read where the
// arguments are.
template <typename Int>
class ArenaValues {
 public:
  // `arena` holds the function's arena_bytes.
  ArenaValues(const ValidModule& module, size_t function, uint8_t* arena,
              std::span<const Operand<Int>> arguments)
      : module_(module), function_(function), arena_(arena), arguments_(arguments) {}

  Operand<Int> Read(ValueId id) const {
    if (id < arguments_.size()) return arguments_[id];
    const TensorType& type = facts().types[id];
    if (const TensorView* constant = module_.constant(function_, id)) {
      return {type, constant->storage, constant->bytes.data(), nullptr};
    }
    return {type, type.storage(), Bytes(id), nullptr};
  }
  Result<Int> Write(ValueId id) { return {facts().types[id], Bytes(id), nullptr}; }
  void Release(ValueId) {}

  // The working memory of an instruction, if it has any, and a value `offset` bytes into it.
  uint8_t* Scratch(size_t step) const {
    return arena_ + std::max<int64_t>(0, facts().instructions[step].scratch_offset);
  }
  Result<Int> Allocate(size_t step, int64_t offset, const TensorType& type) {
    return {type, Scratch(step) + offset, nullptr};
  }

 private:
  const FunctionFacts& facts() const { return module_.functions()[function_]; }
  uint8_t* Bytes(ValueId id) const { return arena_ + facts().offsets[id]; }

  const ValidModule& module_;
  size_t function_;
  uint8_t* arena_;
  std::span<const Operand<Int>> arguments_;
};

// One vector of big integers for each live value.
class FormalValues {
 public:
  FormalValues(const ValidModule& module, size_t function, uint8_t*,
               std::span<const Operand<FormalInt>> arguments)
      : module_(module), function_(function), arguments_(arguments), values_(facts().types.size()) {}

  Operand<FormalInt> Read(ValueId id) const {
    if (id < arguments_.size()) return arguments_[id];
    const TensorType& type = facts().types[id];
    if (const TensorView* constant = module_.constant(function_, id)) {
      return {type, constant->storage, constant->bytes.data(), nullptr};
    }
    return {type, Storage::kI64, nullptr, values_[id].data()};
  }
  Result<FormalInt> Write(ValueId id) {
    Allocate(id);
    return {facts().types[id], nullptr, values_[id].data()};
  }
  void Release(ValueId id) { values_[id] = std::vector<FormalInt>(); }  // "= {}" would keep the memory

  uint8_t* Scratch(size_t) const { return nullptr; }
  Result<FormalInt> Allocate(size_t, int64_t, const TensorType& type) {
    auto& objects = scratch_.emplace_back(type.shape.num_elements());
    return {type, nullptr, objects.data()};
  }

 private:
  const FunctionFacts& facts() const { return module_.functions()[function_]; }
  void Allocate(ValueId id) { values_[id].resize(facts().types[id].shape.num_elements()); }

  const ValidModule& module_;
  size_t function_;
  std::span<const Operand<FormalInt>> arguments_;
  std::vector<std::vector<FormalInt>> values_;
  std::deque<std::vector<FormalInt>> scratch_;
};

}  // namespace tally
