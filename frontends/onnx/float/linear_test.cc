#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Shape;
using quant::Tensor;

// Y[m, n] = alpha * sum_k A[m, k] B[k, n] + beta * C, written from ONNX's formula; C by broadcast index.
FloatTensor Product(const FloatTensor& a, bool trans_a, const FloatTensor& b, bool trans_b, float alpha) {
  const int64_t rows = trans_a ? a.shape[1] : a.shape[0];
  const int64_t depth = trans_a ? a.shape[0] : a.shape[1];
  const int64_t columns = trans_b ? b.shape[0] : b.shape[1];
  FloatTensor y{{rows, columns}, {}};
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum += a.data[trans_a ? k * rows + m : m * depth + k] *
               b.data[trans_b ? n * depth + k : k * columns + n];
      }
      y.data.push_back(alpha * sum);
    }
  return y;
}

TEST(ImportGemm, EveryTransposeAndScale) {
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      for (const float alpha : {1.0f, 0.5f}) {
        const FloatTensor a = SmallIntegers(trans_a ? Shape{3, 2} : Shape{2, 3}, 1);
        const FloatTensor b = SmallIntegers(trans_b ? Shape{4, 3} : Shape{3, 4}, 2);
        ModelBuilder model;
        model.Input("a", a.shape).Weight("b", b).Output("y");
        model.Node("Gemm", {"a", "b"}, {"y"})
            .Int("transA", trans_a)
            .Int("transB", trans_b)
            .Float("alpha", alpha);
        EXPECT_EQ(model.Run({a}), std::vector<Tensor>{Product(a, trans_a, b, trans_b, alpha)});
        EXPECT_EQ(OpsOf(*model.Import()), trans_a ? "Transpose Dense" : "Dense");
      }
    }
  }
}

// Runs a [2, 3] times b [3, 4] plus beta c, and expects `ops`.
void ExpectWithC(const FloatTensor& c, float beta, const std::string& ops) {
  const FloatTensor a = SmallIntegers({2, 3}, 1), b = SmallIntegers({3, 4}, 2);
  ModelBuilder model;
  model.Input("a", a.shape).Weight("b", b).Weight("c", c).Output("y");
  model.Node("Gemm", {"a", "b", "c"}, {"y"}).Float("beta", beta);
  FloatTensor expected = Product(a, false, b, false, 1.0f);
  const int64_t c_rows = c.shape.size() == 2 ? c.shape[0] : 1;
  const int64_t c_columns = c.shape.empty() ? 1 : c.shape.back();
  for (int64_t m = 0; m < 2; ++m)
    for (int64_t n = 0; n < 4; ++n) {
      expected.data[m * 4 + n] += beta * c.data[(c_rows == 1 ? 0 : m) * c_columns + (c_columns == 1 ? 0 : n)];
    }
  EXPECT_EQ(model.Run({a}), std::vector<Tensor>{expected}) << quant::ToString(c.shape);
  EXPECT_EQ(OpsOf(*model.Import()), ops) << quant::ToString(c.shape);
}

TEST(ImportGemm, CIsABiasWhereRowsShareIt) {
  for (const Shape& shape : {Shape{4}, Shape{1, 4}, Shape{1}, Shape{1, 1}, Shape{}}) {
    ExpectWithC(SmallIntegers(shape, 3), 1.0f, "Dense");
    ExpectWithC(SmallIntegers(shape, 3), -2.0f, "Dense");
  }
  for (const Shape& shape : {Shape{2, 4}, Shape{2, 1}})
    ExpectWithC(SmallIntegers(shape, 3), 2.0f, "Dense Add");
}

TEST(ImportGemm, BetaZeroLeavesCOut) {
  ModelBuilder model;
  model.Input("a", {2, 3})
      .Weight("b", SmallIntegers({3, 4}, 2))
      .Weight("c", SmallIntegers({4}, 3))
      .Output("y");
  model.Node("Gemm", {"a", "b", "c"}, {"y"}).Float("beta", 0.0f);
  EXPECT_EQ(model.Import()->nodes.back().operands.size(), 2u);
}

TEST(ImportGemm, RunTimeOperandsBecomeMatMul) {
  const FloatTensor a = SmallIntegers({2, 3}, 1), b = SmallIntegers({4, 3}, 2), c = SmallIntegers({4}, 3);
  ModelBuilder model;
  model.Input("a", a.shape).Input("b", b.shape).Input("c", c.shape).Output("y");
  model.Node("Gemm", {"a", "b", "c"}, {"y"}).Int("transB", 1);
  EXPECT_EQ(OpsOf(*model.Import()), "Transpose MatMul Add");
  FloatTensor expected = Product(a, false, b, true, 1.0f);
  for (size_t i = 0; i < expected.data.size(); ++i) expected.data[i] += c.data[i % 4];
  EXPECT_EQ(model.Run({a, b, c}), std::vector<Tensor>{expected});
}

TEST(ImportGemm, ScalesOfRunTimeOperands) {
  const FloatTensor a{{1, 2}, {1, 2}}, b{{2, 1}, {3, 4}}, c{{1}, {10}};
  for (const auto& [name, y] : {std::pair("alpha", 15.5f), {"beta", 16.0f}}) {
    ModelBuilder model;
    model.Input("a", {1, 2}).Input("b", {2, 1}).Input("c", {1}).Output("y");
    model.Node("Gemm", {"a", "b", "c"}, {"y"}).Float(name, 0.5f);
    EXPECT_EQ(std::get<FloatTensor>(model.Run({a, b, c}).at(0)).data, std::vector<float>{y}) << name;
  }
}

std::string GemmLabel(const Shape& a, const Shape& b, const Shape& c) {
  ModelBuilder model;
  model.Input("a", a).Weight("b", SmallIntegers(b, 2)).Weight("c", SmallIntegers(c, 3)).Output("y");
  model.Node("Gemm", {"a", "b", "c"}, {"y"});
  return model.ImportLabel();
}

TEST(ImportGemm, OnnxShape) {
  EXPECT_EQ(GemmLabel({2, 3}, {3, 4}, {4}), "");
  EXPECT_EQ(GemmLabel({2, 3, 1}, {3, 4}, {4}), "model_shape");
  EXPECT_EQ(GemmLabel({2, 3}, {3}, {4}), "model_shape");
  EXPECT_EQ(GemmLabel({2, 3}, {4, 4}, {4}), "model_shape");
  EXPECT_EQ(GemmLabel({2, 3}, {3, 4}, {3}), "model_shape");
  EXPECT_EQ(GemmLabel({2, 3}, {3, 4}, {5, 2, 4}), "model_shape");
  EXPECT_EQ(GemmLabel({1, 3}, {3, 4}, {2, 4}), "model_shape");  // C may not enlarge Y
}

TEST(ImportGemm, OnnxNanWeight_ScalesThatOverflow) {
  ModelBuilder model;
  model.Input("a", {1, 1}).Weight("b", {{1, 1}, {1e38f}}).Output("y");
  model.Node("Gemm", {"a", "b"}, {"y"}).Float("alpha", 1e10f);
  EXPECT_EQ(model.ImportLabel(), "model_nan_weight");
}

TEST(ImportMatMul, AConstantMatrixMakesADenseLayer) {
  const FloatTensor b = SmallIntegers({3, 4}, 2);
  ModelBuilder flat;
  flat.Input("a", {2, 3}).Weight("b", b).Output("y").Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*flat.Import()), "Dense");
  const FloatTensor a = SmallIntegers({2, 3}, 1);
  const FloatTensor expected = Product(a, false, b, false, 1.0f);
  EXPECT_EQ(flat.Run({a}), std::vector<Tensor>{expected});

  ModelBuilder deep;
  deep.Input("a", {1, 2, 1, 3}).Weight("b", b).Output("y").Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*deep.Import()), "Reshape Dense Reshape");
  EXPECT_EQ(deep.Run({{{1, 2, 1, 3}, a.data}}),
            std::vector<Tensor>{(FloatTensor{{1, 2, 1, 4}, expected.data})});
}

TEST(ImportMatMul, OthersStay) {
  ModelBuilder model;
  model.Input("a", {2, 2, 3}).Input("b", {3, 4}).Output("y").Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*model.Import()), "MatMul");
  ModelBuilder constant_batch;
  constant_batch.Input("a", {2, 2, 3}).Weight("b", SmallIntegers({2, 3, 4}, 1)).Output("y");
  constant_batch.Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*constant_batch.Import()), "MatMul");
  ModelBuilder constant_left;
  constant_left.Weight("a", SmallIntegers({2, 3}, 1)).Input("b", {3, 4}).Output("y");
  constant_left.Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*constant_left.Import()), "MatMul");
}

TEST(ImportMatMul, OnnxShape) {
  ModelBuilder scalar;
  scalar.Input("a", {}).Input("b", {3, 4}).Output("y").Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(scalar.ImportLabel(), "model_shape");
  ModelBuilder depth;
  depth.Input("a", {2, 5})
      .Weight("b", SmallIntegers({3, 4}, 1))
      .Output("y")
      .Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(depth.ImportLabel(), "model_shape");
}

TEST(ImportMatMul, ByVectors) {
  const auto product = [](const FloatTensor& a, const FloatTensor& b) {
    ModelBuilder model;
    model.Input("a", a.shape).Input("b", b.shape).Output("y").Node("MatMul", {"a", "b"}, {"y"});
    return model.Run({a, b}).at(0);
  };
  const FloatTensor v{{2}, {1, 10}}, m{{2, 3}, {1, 2, 3, 4, 5, 6}}, w{{3}, {1, 0, -1}};
  EXPECT_EQ(product(v, m), Tensor(FloatTensor{{3}, {41, 52, 63}}));
  EXPECT_EQ(product(m, w), Tensor(FloatTensor{{2}, {-2, -2}}));
  EXPECT_EQ(product(v, v), Tensor(FloatTensor{{}, {101}}));
}

TEST(ImportEinsum, ProductsAndSums) {
  const auto einsum = [](const std::string& equation, const std::vector<FloatTensor>& inputs) {
    ModelBuilder model(13);
    std::vector<std::string> names;
    for (const FloatTensor& input : inputs) {
      names.push_back("x" + std::to_string(names.size()));
      model.Input(names.back(), input.shape);
    }
    model.Output("y").Node("Einsum", names, {"y"}).String("equation", equation);
    return model.ImportLabel().empty() ? model.Run(inputs).at(0) : Tensor(FloatTensor{});
  };
  const FloatTensor a{{2, 3}, {1, 2, 3, 4, 5, 6}}, b{{3, 2}, {1, 0, 0, 1, 1, 1}};
  EXPECT_EQ(einsum("ij,jk->ik", {a, b}), Tensor(FloatTensor{{2, 2}, {4, 5, 10, 11}}));
  EXPECT_EQ(einsum("ij,jk", {a, b}), Tensor(FloatTensor{{2, 2}, {4, 5, 10, 11}}));
  EXPECT_EQ(einsum("ij,jk->ki", {a, b}), Tensor(FloatTensor{{2, 2}, {4, 10, 5, 11}}));
  EXPECT_EQ(einsum("ij,ij->i", {a, a}), Tensor(FloatTensor{{2}, {14, 77}}));
  EXPECT_EQ(einsum("ij->j", {a}), Tensor(FloatTensor{{3}, {5, 7, 9}}));
  EXPECT_EQ(einsum("ij -> ji", {a}), Tensor(FloatTensor{{3, 2}, {1, 4, 2, 5, 3, 6}}));
  EXPECT_EQ(einsum("ij,k->i", {a, FloatTensor{{2}, {1, 2}}}), Tensor(FloatTensor{{2}, {18, 45}}));
}

TEST(ImportEinsum, Refusals) {
  const auto label = [](const std::string& equation) {
    ModelBuilder model(13);
    model.Input("a", {2, 3}).Input("b", {3, 3}).Output("y");
    model.Node("Einsum", {"a", "b"}, {"y"}).String("equation", equation);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("ij,jk->ik"), "");
  for (const char* bad : {"", "ij->ij", "ij,jk->il", "ij,ki->ik", "ij,jk->ii", "i,jk->k", "i1,jk->k"}) {
    EXPECT_EQ(label(bad), "model_malformed") << bad;
  }
  EXPECT_EQ(label("ij,kk->ij"), "model_unsupported_attribute");
  EXPECT_EQ(label("...ijk,jk->...k"), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
