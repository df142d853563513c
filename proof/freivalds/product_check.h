// Whether a product of matrices, or a convolution, is right, for the price of a product with a vector:
// Freivalds' check in exact integers (docs/spec/audit.md#products).
//
//   const auto check = ProductCheck::Of(module, instruction);           // nothing where it does not apply
//   const ProductKey key = check->KeyOf(weights, bias, coefficients);   // once for a module
//   check->Holds(x, y, {key, another});
//
// All sums are modulo 2^64. Let y be claimed and p the product. If y[i, j] - p[i, j] = d is not 0 then |d| <
// 2^32, as both are 32 bits wide, so that 2^31 divides d at most. With the other coefficients fixed, two
// values of r[j] that both pass differ by a multiple of 2^33, and all values are within 2^32: at most one
// passes. A wrong product passes one check with a probability of 2^-32, and two with 2^-64.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/linear/attrs.h"
#include "vm/valid_module.h"

namespace tally {

// The coefficients of an instruction, and its weights times them.
struct ProductKey {
  std::vector<int32_t> r;   // by column of the product, or by channel of the result
  std::vector<uint64_t> s;  // by row of the weights; for a convolution by channel of the input and tap
  uint64_t bias = 0;        // the bias times r
};

class ProductCheck {
 public:
  // For instruction `number` of the entry: matmul, dense, conv2d or convolution, where the product and every
  // sum on its way fit 32 bits.
  static std::optional<ProductCheck> Of(const ValidModule& module, size_t number);

  int64_t num_coefficients() const { return columns_; }
  // Multiplications of one check, with those for weights that are not constant, and of the product itself.
  int64_t check_cost() const { return check_cost_; }
  int64_t product_cost() const { return product_cost_; }

  // `bias` may be null.
  ProductKey KeyOf(const TensorView& weights, const TensorView* bias,
                   std::vector<int32_t> coefficients) const;

  // Whether y, which has the type of the result, is the product of x and the weights that the keys are of, by
  // a check with each of them.
  bool Holds(const TensorView& x, const TensorView& y, std::span<const ProductKey> keys) const;

 private:
  bool HoldsMatrix(const TensorView& x, const TensorView& y, std::span<const ProductKey> keys) const;
  bool HoldsWindows(const TensorView& x, const TensorView& y, const ProductKey& key) const;

  bool is_windows_ = false;
  MatmulAttrs matmul_;
  ConvolutionAttrs windows_;
  Shape x_, w_, y_;
  int64_t columns_ = 0;
  int64_t check_cost_ = 0, product_cost_ = 0;
};

}  // namespace tally
