// Runs that are checked by their products: an auditor computes all that is no product, and checks the
// products that an executor claims (docs/spec/audit.md#products).
//
//   ASSIGN_OR_RETURN(const auto verifier, ProductVerifier::Make(claimed, "cpu", {}, secret));
//   ASSIGN_OR_RETURN(const std::vector<Tensor> results, verifier->Results(inputs, products));
//
// The products need no hash and no signature: wrong ones pass with a probability of 2^-64 for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "engines/engine.h"
#include "proof/freivalds/coefficients.h"
#include "proof/freivalds/split_module.h"
#include "vm/plan.h"

namespace tally {

class ProductVerifier {
 public:
  static constexpr int kRepetitions = 2;

  // Null where no product of the module is worth a check (SplitAtProducts). `id` is the module's. Errors:
  // those of MakePlan.
  static absl::StatusOr<std::unique_ptr<const ProductVerifier>> Make(
      const ValidModule& module, const Digest& id, std::string_view engine, const PlanOptions& options,
      const AuditSecret& secret, int64_t worth = kProductWorth);

  const std::vector<SplitProduct>& products() const { return split_.products; }

  // The types of the products, in order.
  std::vector<TensorType> types() const;

  // The results of the module. Errors: product_wrong, where a product is not that of its operands, or no
  // tensor of its type; those of a run.
  absl::StatusOr<std::vector<Tensor>> Results(std::span<const TensorView> inputs,
                                              std::vector<Tensor> products) const;

 private:
  explicit ProductVerifier(SplitModule split) : split_(std::move(split)) {}

  SplitModule split_;
  std::unique_ptr<const Plan> plan_;
  std::vector<std::vector<std::vector<int32_t>>> coefficients_;  // by product and repetition
  std::vector<std::vector<ProductKey>> keys_;                    // likewise; empty where weights are computed
};

// The products of a run, which an executor gives to auditors, as one string of bytes: each in the storage of
// its type, in their order. Errors: those of the run.
absl::StatusOr<std::vector<uint8_t>> ProductsOfRun(const Plan& plan, std::span<const TensorView> inputs,
                                                   int64_t worth = kProductWorth);
// Error product_wrong: there are more or fewer bytes.
absl::StatusOr<std::vector<Tensor>> DecodeProducts(std::span<const uint8_t> bytes,
                                                   std::span<const TensorType> types);

}  // namespace tally
