// A module as plain data: what the binary and the text form both say (docs/spec/module.md).
//
// Values are numbered in SSA order: the parameters of the function first, then the results of each
// instruction. A Module may be nonsense; Validate (vm/validator.h) turns it into a ValidModule or says why
// not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash/digest.h"
#include "base/tensor.h"
#include "ops/attributes.h"
#include "ops/op_table.h"
#include "ops/profile.h"
#include "ops/table/recipe/recipe.h"
#include "ops/tensor_type.h"

namespace tally {

using ValueId = uint32_t;

struct Instruction {
  Opcode op;
  std::vector<ValueId> operands;
  Attributes attributes;  // in the order of the row's schema

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Function {
  std::vector<TensorType> params;  // shape and declared interval
  std::vector<Instruction> body;
  std::vector<ValueId> results;

  friend bool operator==(const Function&, const Function&) = default;
};

// real = (integer - zero_point) * multiplier * 2^-shift, exactly.
struct Quantization {
  int64_t zero_point = 0;
  int64_t multiplier = 1;
  int64_t shift = 0;  // may be negative

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// For tools and people; no engine reads it. Names are unique among the parameters and among the results.
struct ValueInfo {
  std::string name;
  std::optional<Quantization> quantization;

  friend bool operator==(const ValueInfo&, const ValueInfo&) = default;
};

struct Metadata {
  std::vector<ValueInfo> params;   // one for each parameter of the entry
  std::vector<ValueInfo> results;  // one for each result of the entry

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// A constant that the module carries as its recipe: the view in Module::constants has its shape and storage,
// and bytes only once the module is validated.
struct RecipeConstant {
  uint32_t constant = 0;  // index
  Recipe recipe;
  Digest sha256{};  // for the bytes

  friend bool operator==(const RecipeConstant&, const RecipeConstant&) = default;
};

struct Module {
  uint32_t spec_version = 1;
  Profile profile = Profile::kCore;
  // The entry is function 0. An instruction names only functions with a higher number, so that no function
  // runs inside itself.
  std::vector<Function> functions;
  std::vector<TensorView> constants;    // each in the narrowest storage of its values
  std::vector<RecipeConstant> recipes;  // ascending by constant
  Metadata metadata;
  std::shared_ptr<const void> backing;  // owns the bytes that `constants` view

  // The recipe of a constant, or null when its bytes are carried.
  const RecipeConstant* recipe(size_t constant) const;

  const Function& entry() const { return functions.front(); }
};

// How many values `instruction` defines: as many as its row says, or as the first function that it names has
// results. One where that function does not exist or has none; such a module is not valid, but its values
// have numbers.
int NumResults(const Module& module, const Instruction& instruction);

// Equal programs: everything except who owns the bytes.
bool operator==(const Module& a, const Module& b);

// "p0", "p1", ... "r0": the names of a module whose producer had none.
Metadata DefaultMetadata(const Function& entry);

}  // namespace tally
