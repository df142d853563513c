#include "proof/freivalds/product_verifier.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"

namespace tally {

absl::StatusOr<std::unique_ptr<const ProductVerifier>> ProductVerifier::Make(
    const ValidModule& module, const Digest& id, std::string_view engine, const PlanOptions& options,
    const AuditSecret& secret, int64_t worth) {
  ASSIGN_OR_RETURN(std::optional<SplitModule> split, SplitAtProducts(module, worth));
  if (!split) return nullptr;
  std::unique_ptr<ProductVerifier> verifier(new ProductVerifier(*std::move(split)));
  ASSIGN_OR_RETURN(verifier->plan_, MakePlan(engine, verifier->split_.module, options));
  for (const SplitProduct& product : verifier->split_.products) {
    auto& coefficients = verifier->coefficients_.emplace_back();
    auto& keys = verifier->keys_.emplace_back();
    const bool is_known = product.weights.kind == TensorSource::Kind::kConstant &&
                          (!product.bias || product.bias->kind == TensorSource::Kind::kConstant);
    for (uint32_t repetition = 0; repetition < kRepetitions; ++repetition) {
      coefficients.push_back(secret.Coefficients(id, static_cast<uint32_t>(product.instruction), repetition,
                                                 product.check.num_coefficients()));
      if (!is_known) continue;
      const std::vector<TensorView>& constants = verifier->split_.module->module().constants;
      keys.push_back(product.check.KeyOf(constants[product.weights.index],
                                         product.bias ? &constants[product.bias->index] : nullptr,
                                         coefficients.back()));
    }
  }
  return std::unique_ptr<const ProductVerifier>(std::move(verifier));
}

std::vector<TensorType> ProductVerifier::types() const {
  const std::vector<TensorType>& params = split_.module->entry().params;
  return {params.begin() + static_cast<ptrdiff_t>(split_.num_inputs), params.end()};
}

absl::StatusOr<std::vector<Tensor>> ProductVerifier::Results(std::span<const TensorView> inputs,
                                                             std::vector<Tensor> products) const {
  std::vector<TensorView> given(inputs.begin(), inputs.end());
  for (const Tensor& product : products) given.push_back(product.view());
  absl::StatusOr<Outcome> outcome = plan_->Execute(given, {});
  if (!outcome.ok()) {
    // The inputs have been looked at before: what is refused is a product outside its interval.
    if (ErrorStageOf(outcome.status()) != ErrorStage::refused) return outcome.status();
    return MakeError(label::product_wrong, std::string(outcome.status().message()));
  }
  const auto at = [&](const TensorSource& source) -> TensorView {
    switch (source.kind) {
      case TensorSource::Kind::kConstant: return split_.module->module().constants[source.index];
      case TensorSource::Kind::kInput: return given[source.index];
      case TensorSource::Kind::kResult: break;
    }
    return outcome->results[source.index].view();
  };
  for (size_t i = 0; i < split_.products.size(); ++i) {
    const SplitProduct& product = split_.products[i];
    std::vector<ProductKey> made;
    for (const std::vector<int32_t>& coefficients : coefficients_[i]) {
      if (!keys_[i].empty()) break;
      std::optional<TensorView> bias;
      if (product.bias) bias = at(*product.bias);
      made.push_back(product.check.KeyOf(at(product.weights), bias ? &*bias : nullptr, coefficients));
    }
    if (product.check.Holds(at(product.x), products[i].view(), keys_[i].empty() ? made : keys_[i])) continue;
    return MakeError(label::product_wrong, absl::StrCat("the product of instruction ", product.instruction,
                                                        " is not that of its operands"));
  }
  // Large results are moved where nobody needs them any more.
  std::vector<Tensor> results;
  for (auto source = split_.results.begin(); source != split_.results.end(); ++source) {
    const bool is_product = source->kind == TensorSource::Kind::kInput && source->index >= split_.num_inputs;
    if (is_product && std::find(source + 1, split_.results.end(), *source) == split_.results.end()) {
      results.push_back(std::move(products[source->index - split_.num_inputs]));
    } else {
      results.push_back(Tensor::Copy(at(*source), at(*source).storage));
    }
  }
  return results;
}

absl::StatusOr<std::vector<uint8_t>> ProductsOfRun(const Plan& plan, std::span<const TensorView> inputs,
                                                   int64_t worth) {
  ASSIGN_OR_RETURN(const std::optional<SplitModule> split, SplitAtProducts(plan.module(), worth));
  if (!split) return std::vector<uint8_t>();
  std::map<ValueId, std::vector<uint8_t>> seen;
  for (const SplitProduct& product : split->products) seen[product.value];
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId value, const TensorView& tensor) {
    if (!path.empty()) return;
    if (const auto found = seen.find(value); found != seen.end())
      found->second.assign(tensor.bytes.begin(), tensor.bytes.end());
  };
  RETURN_IF_ERROR(plan.Execute(inputs, options).status());
  std::vector<uint8_t> bytes;
  for (const SplitProduct& product : split->products) {
    const std::vector<uint8_t>& one = seen[product.value];
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

absl::StatusOr<std::vector<Tensor>> DecodeProducts(std::span<const uint8_t> bytes,
                                                   std::span<const TensorType> types) {
  std::vector<Tensor> products;
  for (const TensorType& type : types) {
    Tensor& product = products.emplace_back(type.shape, type.storage());
    const size_t size = product.bytes().size();
    if (bytes.size() < size) return MakeError(label::product_wrong, "the products end early");
    std::copy_n(bytes.begin(), size, product.mutable_bytes().begin());
    bytes = bytes.subspan(size);
  }
  if (!bytes.empty())
    return MakeError(label::product_wrong, absl::StrCat(bytes.size(), " bytes come after the products"));
  return products;
}

}  // namespace tally
