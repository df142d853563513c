// Where the scalar engines keep the values of a run.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ops/reference.h"
#include "vm/valid_module.h"

namespace tally {

// Packed in the narrowest storage, at the offsets that validation planned.
template <typename Int>
class ArenaValues {
 public:
  explicit ArenaValues(const ValidModule& module) : module_(module), arena_(module.arena_bytes()) {}

  void SetParam(ValueId id, const TensorView& input) {
    const Storage storage = module_.types()[id].storage();
    for (int64_t i = 0; i < input.shape.num_elements(); ++i) StoreElement(storage, Bytes(id), i, input.at(i));
  }
  Operand<Int> Read(ValueId id) const {
    const TensorType& type = module_.types()[id];
    if (const TensorView* constant = module_.constant(id)) {
      return {type, constant->storage, constant->bytes.data(), nullptr};
    }
    return {type, type.storage(), arena_.data() + module_.offsets()[id], nullptr};
  }
  Result<Int> Write(ValueId id) { return {module_.types()[id], Bytes(id), nullptr}; }
  void Release(ValueId) {}

 private:
  uint8_t* Bytes(ValueId id) { return arena_.data() + module_.offsets()[id]; }

  const ValidModule& module_;
  std::vector<uint8_t> arena_;
};

// One vector of big integers for each live value.
class FormalValues {
 public:
  explicit FormalValues(const ValidModule& module) : module_(module), values_(module.types().size()) {}

  void SetParam(ValueId id, const TensorView& input) {
    Allocate(id);
    for (int64_t i = 0; i < input.shape.num_elements(); ++i) values_[id][i] = input.at(i);
  }
  Operand<FormalInt> Read(ValueId id) const {
    const TensorType& type = module_.types()[id];
    if (const TensorView* constant = module_.constant(id)) {
      return {type, constant->storage, constant->bytes.data(), nullptr};
    }
    return {type, Storage::kI64, nullptr, values_[id].data()};
  }
  Result<FormalInt> Write(ValueId id) {
    Allocate(id);
    return {module_.types()[id], nullptr, values_[id].data()};
  }
  void Release(ValueId id) { values_[id] = std::vector<FormalInt>(); }  // "= {}" would keep the memory

 private:
  void Allocate(ValueId id) { values_[id].resize(module_.types()[id].shape.num_elements()); }

  const ValidModule& module_;
  std::vector<std::vector<FormalInt>> values_;
};

}  // namespace tally
