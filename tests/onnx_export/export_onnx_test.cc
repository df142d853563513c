// Which forms are chosen, and what is refused.
#include "frontends/onnx/export/export_onnx.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "ops/all_attrs.h"
#include "tests/onnx_export/round_trip.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

Shape ShapeOf(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

// Values that go up and down through `interval`, its ends first.
Tensor Ramp(const TensorType& type) {
  std::vector<int64_t> values;
  const int64_t width = type.interval.hi - type.interval.lo + 1;
  for (int64_t i = 0; i < type.shape.num_elements(); ++i) {
    values.push_back(i % 2 == 0 ? type.interval.lo + i * 37 % width : type.interval.hi - i * 53 % width);
  }
  return *Tensor::FromValues(type.shape, values);
}

ValidModule Valid(ModuleBuilder builder) {
  auto valid = Validate(std::move(builder).Build());
  EXPECT_TRUE(valid.ok()) << valid.status();
  return *std::move(valid);
}

// The operators of the model, once each in order: "Add Clip".
std::string OpsOf(const ::onnx::ModelProto& model) {
  std::string ops;
  for (const auto& node : model.graph().node()) {
    if (ops.find(node.op_type() + " ") == std::string::npos) ops += node.op_type() + " ";
  }
  return ops;
}

// The operators in which a module of a parameter and one instruction is written, once its model has computed
// the same.
template <typename Attrs>
std::string FormOf(Opcode op, const TensorType& x, const std::vector<Tensor>& constants, const Attrs& attrs) {
  ModuleBuilder b(Profile::kCore);
  std::vector<ValueId> operands = {b.Param("x", x)};
  for (const Tensor& constant : constants) operands.push_back(b.Constant(constant));
  b.Result("y", b.Op(op, operands, attrs));
  const RoundTrip trip = ExportAndImport(Valid(std::move(b)), {Ramp(x)});
  EXPECT_EQ(trip.refused, "");
  EXPECT_EQ(trip.mismatch, "");
  return OpsOf(trip.model);
}

ConvolutionAttrs Padded(int64_t zero_x) {
  return {.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}, .zero_x = zero_x};
}

TEST(ExportOnnx, BytesAreConvolvedAsBytes) {
  const Tensor w = Ramp({ShapeOf({2, 3, 3, 3}), {-127, 127}});
  const std::string form =
      FormOf(Opcode::kConvolution, {ShapeOf({1, 3, 5, 5}), {-128, 127}}, {w}, Padded(-3));
  EXPECT_NE(form.find("ConvInteger "), std::string::npos) << form;
  const std::string unsigned_form =
      FormOf(Opcode::kConvolution, {ShapeOf({1, 3, 5, 5}), {0, 255}}, {w}, Padded(7));
  EXPECT_NE(unsigned_form.find("ConvInteger "), std::string::npos) << unsigned_form;
}

TEST(ExportOnnx, WiderValuesAreConvolvedInFloatsWhileTheirSumsAreExact) {
  const Tensor w = Ramp({ShapeOf({2, 1, 3, 3}), {-127, 127}});
  const std::string floats =
      FormOf(Opcode::kConvolution, {ShapeOf({1, 1, 5, 5}), {-9000, 9000}}, {w}, Padded(5));
  EXPECT_NE(floats.find("Conv "), std::string::npos) << floats;
  const std::string integers =
      FormOf(Opcode::kConvolution, {ShapeOf({1, 1, 5, 5}), {-90000, 90000}}, {w}, Padded(5));
  EXPECT_EQ(integers.find("Conv "), std::string::npos) << integers;
  EXPECT_NE(integers.find("MatMul "), std::string::npos) << integers;
}

// 2^24 itself is where a float skips its first integer.
TEST(ExportOnnx, FloatsEndWhereTheySkipIntegers) {
  const ConvolutionAttrs attrs = {.stride = {1}, .dilation = {1}, .pad_begin = {0}, .pad_end = {0}};
  const Tensor w = *Tensor::FromValues(ShapeOf({1, 1, 2}), {1, 1});
  for (const int64_t most : {(1 << 23) - 1, 1 << 23}) {
    const std::string form = FormOf(Opcode::kConvolution, {ShapeOf({1, 1, 4}), {0, most}}, {w}, attrs);
    EXPECT_EQ(form.find("Conv ") != std::string::npos, most < 1 << 23) << form;
  }
}

TEST(ExportOnnx, EveryModeRoundsHalvesAsItsNameSays) {
  const TensorType x = {ShapeOf({65}), {-32, 32}};
  std::vector<int64_t> values;
  for (int64_t v = -32; v <= 32; ++v) values.push_back(v);
  for (const Rounding rounding : {Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway,
                                  Rounding::kHalfEven, Rounding::kDouble, Rounding::kTrunc}) {
    // By small numbers, and by some that need the high and the low bits of a product apart.
    for (const auto& [m, s] : {std::pair<int64_t, int64_t>{1, 1},
                               {1, 2},
                               {3, 3},
                               {1 << 30, 31},
                               {1 << 30, 33},
                               {(1 << 30) + (1 << 15), 40}}) {
      ModuleBuilder b(Profile::kCore);
      const auto list = [&](int64_t value) { return b.Constant(*Tensor::FromValues(ShapeOf({1}), {value})); };
      const ValueId p = b.Param("x", x);
      const ValueId wide = b.Op(Opcode::kBroadcastMul, {p, list(s < 31 ? 1 : 1 << 10)});
      const RescaleAttrs attrs = {.lo = -100, .hi = 100, .rounding = rounding};
      b.Result("y", b.Op(Opcode::kRescale, {wide, list(m), list(0), list(s)}, attrs));
      const RoundTrip trip = ExportAndImport(Valid(std::move(b)), {*Tensor::FromValues(x.shape, values)});
      EXPECT_EQ(trip.refused + trip.mismatch, "") << RoundingName(rounding) << " " << m << " " << s;
    }
  }
}

// ONNX Runtime's own Max, Min and Clip are wrong there.
TEST(ExportOnnx, BeyondInt32ElementsAreOrderedByComparisons) {
  const int64_t wide = int64_t{1} << 33;
  const auto form = [](const Interval& x, const Interval& clip) {
    return FormOf(Opcode::kClip, {ShapeOf({64}), x}, {}, ClipAttrs{clip.lo, clip.hi});
  };
  EXPECT_EQ(form({-200, 200}, {-128, 127}), "Cast Clip ");
  EXPECT_EQ(form({-wide, wide}, {-wide / 2, wide / 2}), "Less Where Identity ");
  EXPECT_EQ(form({-wide, wide}, {-128, 127}), "Less Where Clip Cast ");  // the last one proves a byte
  EXPECT_EQ(form({-200, 200}, {wide / 2, wide}), "Expand Identity ");
  EXPECT_EQ(form({-200, 200}, {-wide, 100}), "Cast Clip ");
}

TEST(ExportOnnx, RefusalsNameAllInstructionsAtOnce) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {ShapeOf({4}), {0, 100}};
  ValueId x = b.Param("x", type);
  for (int i = 0; i < 3; ++i) x = b.Op(Opcode::kSqrt, {x}, SqrtAttrs{});
  x = b.Op(Opcode::kTopK, {x}, TopKAttrs{.k = 2, .axis = 0, .order = TopKOrder::kIndex});
  b.Result("y", b.Op(Opcode::kRelu, {x}));
  const onnx::ExportedOnnx exported = onnx::ExportOnnx(Valid(std::move(b)));
  EXPECT_EQ(exported.instructions, 5);
  EXPECT_EQ(exported.exact, 1);
  const auto file = onnx::OnnxFile(exported);
  EXPECT_EQ(ErrorLabel(file.status()), "onnx_export");
  const std::string message(file.status().message());
  EXPECT_NE(message.find("4 of 5 instructions"), std::string::npos) << message;
  EXPECT_NE(message.find("sqrt (3): "), std::string::npos) << message;
  EXPECT_NE(message.find("top_k (1): ONNX leaves the order"), std::string::npos) << message;
}

TEST(ExportOnnx, ValuesBeyond48BitsAreRefused) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf({2}), {0, int64_t{1} << 46}});
  const LincombAttrs attrs = {.multipliers = {1 << 16}, .zero_points = {0}, .shift = 16, .lo = 0, .hi = 255};
  b.Result("y", b.Op(Opcode::kLincomb, {x}, attrs));
  EXPECT_EQ(ErrorLabel(onnx::OnnxFile(onnx::ExportOnnx(Valid(std::move(b)))).status()), "onnx_export");
}

TEST(ExportOnnx, NamesGridsAndTypesAreThoseOfTheModule) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {ShapeOf({2}), {-5, 300}};
  const ValueId x = b.Param("t0", type, Quantization{.zero_point = 3, .multiplier = 5, .shift = 7});
  b.Result("t1", b.Op(Opcode::kAbs, {x}));
  b.Result("t0", x);
  const ValidModule module = Valid(std::move(b));
  const RoundTrip trip = ExportAndImport(module, {Ramp(type)});
  EXPECT_EQ(trip.refused + trip.mismatch, "");
  const auto& graph = trip.model.graph();
  EXPECT_EQ(graph.input(0).name(), "t0");
  EXPECT_EQ(graph.input(0).doc_string(), "real = (integer - 3) * 5 * 2^-7");
  EXPECT_EQ(graph.input(0).type().tensor_type().elem_type(), ::onnx::TensorProto::INT16);
  EXPECT_EQ(graph.output(0).name(), "t1");
  EXPECT_EQ(graph.output(1).name(), "t0_");  // a name is a value's own
}

TEST(ExportOnnx, FunctionsAreWrittenWhereTheyAreCalled) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {ShapeOf({2}), {-5, 5}};
  const ValueId x = b.Param("x", type);
  const std::vector<ValueId> p = b.BeginFunction({type});
  const int64_t twice = b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], p[0]})});
  const ValueId once = b.Op(Opcode::kCall, {x}, CallAttrs{.function = twice});
  b.Result("y", b.Op(Opcode::kBroadcastMul, {once, b.Op(Opcode::kCall, {x}, CallAttrs{.function = twice})}));
  const RoundTrip trip = ExportAndImport(Valid(std::move(b)), {Ramp(type)});
  EXPECT_EQ(trip.refused + trip.mismatch, "");
  EXPECT_EQ(std::ranges::count_if(trip.model.graph().node(),
                                  [](const auto& node) { return node.op_type() == "Add"; }),
            2);
}

// 2^24 additions in 24 functions.
TEST(ExportOnnx, CallsDoNotMultiplyWithoutEnd) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {ShapeOf({2}), {0, 1}};
  const ValueId x = b.Param("x", type);
  int64_t function = 0;
  for (int depth = 0; depth < 24; ++depth) {
    const std::vector<ValueId> p = b.BeginFunction({type});
    const auto inner = [&](ValueId value) {
      return depth == 0 ? b.Op(Opcode::kClip, {value}, ClipAttrs{0, 1})
                        : b.Op(Opcode::kCall, {value}, CallAttrs{.function = function});
    };
    const ValueId once = inner(p[0]);
    function = b.EndFunction({inner(once)});
  }
  b.Result("y", b.Op(Opcode::kCall, {x}, CallAttrs{.function = function}));
  const auto file = onnx::OnnxFile(onnx::ExportOnnx(Valid(std::move(b))));
  EXPECT_EQ(ErrorLabel(file.status()), "onnx_export");
  EXPECT_NE(file.status().message().find("more than 2^20 instructions"), absl::string_view::npos);
}

TEST(ExportOnnx, TheSameModuleGivesTheSameFile) {
  const auto file = [] {
    ModuleBuilder b(Profile::kCore);
    const ValueId x = b.Param("x", {ShapeOf({1, 2, 4, 4}), {-128, 127}});
    const Tensor w = Ramp({ShapeOf({2, 2, 3, 3}), {-127, 127}});
    b.Result("y", b.Op(Opcode::kConvolution, {x, b.Constant(w)}, Padded(1)));
    return *onnx::OnnxFile(onnx::ExportOnnx(Valid(std::move(b))));
  };
  EXPECT_EQ(file(), file());
}

}  // namespace
}  // namespace tally
