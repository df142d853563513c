// A module without its products: they are parameters, and what they are products of are results.
//
// One run of such a module, with products that somebody claims, gives the operands of all of them and the
// results of the module. If each claimed product is that of its operands, the results are those of the
// module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/freivalds/product_check.h"
#include "vm/valid_module.h"

namespace tally {

// Where a run of the split module has a tensor: a constant, an input or a result.
struct TensorSource {
  enum class Kind { kConstant, kInput, kResult } kind = Kind::kConstant;
  size_t index = 0;

  friend bool operator==(const TensorSource&, const TensorSource&) = default;
};

struct SplitProduct {
  ProductCheck check;
  size_t instruction = 0;  // its number in the entry
  ValueId value = 0;       // the product
  TensorSource x, weights;
  std::optional<TensorSource> bias;
};

struct SplitModule {
  std::shared_ptr<const ValidModule> module;  // inputs: the original's, then the products
  std::vector<SplitProduct> products;
  std::vector<TensorSource> results;  // the original's
  size_t num_inputs = 0;              // the original's
};

// How many multiplications of its product a check saves at least with each of its own: those are of 64 bits,
// as long as 16 of bytes, and there are two checks; and a check reads the product from memory, where a run
// has it at hand.
inline constexpr int64_t kProductWorth = 128;

// The products that are worth it. Nothing where there are none. Errors: those of Validate.
absl::StatusOr<std::optional<SplitModule>> SplitAtProducts(const ValidModule& module,
                                                           int64_t worth = kProductWorth);

}  // namespace tally
