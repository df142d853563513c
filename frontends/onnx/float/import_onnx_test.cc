#include "frontends/onnx/float/import_onnx.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "base/error.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/testing/model_builder.h"
#include "quant/passes/fold_batch_norm.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Shape;
using quant::Tensor;

ModelBuilder ReluModel(int64_t opset = 13) {
  ModelBuilder model(opset);
  model.Input("x", {-1, 3}).Output("y").Node("Relu", {"x"}, {"y"});
  return model;
}

TEST(ImportOnnx, NamesAndTheOpenBatch) {
  const auto graph = ReluModel().Import({.shapes = {.batch = 4}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->name, "test");
  EXPECT_EQ(graph->values[graph->inputs[0]].name, "x");
  EXPECT_EQ(graph->values[graph->inputs[0]].type.shape, (Shape{4, 3}));
  EXPECT_EQ(graph->outputs[0].name, "y");
  EXPECT_EQ(ReluModel().Import()->values[0].type.shape, (Shape{1, 3}));
}

TEST(ImportOnnx, AFixedBatchStays) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(model.Import({.shapes = {.batch = 4}})->values[0].type.shape, (Shape{2, 3}));
}

TEST(ImportOnnx, OpenDimensionsAreWrittenInFourWays) {
  ModelBuilder model = ReluModel();
  auto* dimension =
      model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0);
  for (const int64_t value : {0, -1}) {
    dimension->set_dim_value(value);
    EXPECT_EQ(model.Import({.shapes = {.batch = 4}})->values[0].type.shape, (Shape{4, 3}));
  }
  dimension->clear_value();
  EXPECT_EQ(model.Import({.shapes = {.batch = 4}})->values[0].type.shape, (Shape{4, 3}));
}

TEST(ImportOnnx, EveryOpsetFrom7To28) {
  for (int64_t opset = 7; opset <= 28; ++opset) EXPECT_EQ(ReluModel(opset).ImportLabel(), "") << opset;
}

TEST(ImportOnnx, InitializersThatAreInputsToo) {
  ModelBuilder model;  // as files of IR version 3 have to write them
  model.Input("x", {2}).Input("w", {2}).Weight("w", {{2}, {1, 2}}).Output("y").Node("Add", {"x", "w"}, {"y"});
  EXPECT_EQ(model.Run({{{2}, {10, 20}}}), (std::vector<Tensor>{FloatTensor{{2}, {11, 22}}}));
}

TEST(ImportOnnx, ASharedConstantEntersOnce) {
  ModelBuilder model;
  model.Input("x", {2}).Weight("w", {{2}, {1, 2}}).Weight("unused", {{1}, {0}}).Output("z");
  model.Node("Add", {"x", "w"}, {"y"});
  model.Node("Add", {"y", "w"}, {"z"});
  EXPECT_EQ(model.Import()->nodes.size(), 3u);
}

TEST(ImportOnnx, HalfAndDoubleInputsAreFloats) {
  for (const auto type : {TensorProto::FLOAT16, TensorProto::DOUBLE}) {
    ModelBuilder model = ReluModel();
    model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    EXPECT_EQ(model.ImportLabel(), "");
  }
}

TEST(ImportOnnx, OnnxParse_OtherBytes) {
  EXPECT_EQ(ErrorLabel(ImportOnnx({}).status()), "onnx_parse");
  const std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(ErrorLabel(ImportOnnx(text).status()), "onnx_parse");
}

TEST(ImportOnnx, OnnxParse_EveryPrefixIsRefusedOrHarmless) {
  const std::vector<uint8_t> bytes = ReluModel().Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto graph = ImportOnnx(std::span(bytes).first(size));
    EXPECT_FALSE(graph.ok()) << size;
    EXPECT_TRUE(std::regex_match(std::string(ErrorLabel(graph.status())), std::regex("(onnx|model)_.*")))
        << size << ": " << graph.status();
  }
}

TEST(ImportOnnx, OnnxSize_BeyondProtobuf) {
  // Never read: the size alone is refused.
  const std::span<const uint8_t> huge(reinterpret_cast<const uint8_t*>(""), size_t{1} << 31);
  EXPECT_EQ(ErrorLabel(ImportOnnx(huge).status()), "onnx_size");
}

TEST(ImportOnnx, OnnxUnsupportedIrVersion) {
  for (const auto& [version, label] : {std::pair<int64_t, std::string>{2, "onnx_unsupported_ir_version"},
                                       {3, ""},
                                       {13, ""},
                                       {14, "onnx_unsupported_ir_version"}}) {
    ModelBuilder model = ReluModel();
    model.proto().set_ir_version(version);
    EXPECT_EQ(model.ImportLabel(), label) << version;
  }
}

TEST(ImportOnnx, OnnxUnsupportedOpset) {
  for (const int64_t opset : {-1, 6, 29})
    EXPECT_EQ(ReluModel(opset).ImportLabel(), "onnx_unsupported_opset") << opset;
}

TEST(ImportOnnx, OnnxMalformed_OpsetImports) {
  ModelBuilder none = ReluModel();
  none.proto().clear_opset_import();
  EXPECT_EQ(none.ImportLabel(), "model_malformed");
  ModelBuilder two = ReluModel();
  two.proto().add_opset_import()->set_version(13);
  EXPECT_EQ(two.ImportLabel(), "model_malformed");
  ModelBuilder other = ReluModel();
  auto* import = other.proto().add_opset_import();
  import->set_domain("com.example");
  import->set_version(99);
  EXPECT_EQ(other.ImportLabel(), "");
}

TEST(ImportOnnx, OnnxUnsupportedOpset_OperatorsOfOtherDomainsAlone) {
  ModelBuilder other = ReluModel();
  other.proto().mutable_opset_import(0)->set_domain("com.example");
  EXPECT_EQ(other.ImportLabel(), "onnx_unsupported_opset");
  EXPECT_NE(other.ImportMessage().find("'com.example'"), std::string::npos) << other.ImportMessage();
}

// An operator that a later opset defines anew says in which.
TEST(ImportOnnx, OnnxUnsupportedOperator_SaysWhichOpsetChangedIt) {
  ModelBuilder scores(9);
  scores.Input("x", {1, 1, 2, 2}).Output("y").Node("Upsample", {"x"}, {"y"});
  scores.proto().mutable_opset_import(0)->set_version(22);
  EXPECT_EQ(scores.ImportLabel(), "model_unsupported_operator");
  EXPECT_NE(scores.ImportMessage().find("opset 10 changed its definition"), std::string::npos)
      << scores.ImportMessage();
  ModelBuilder early(13);
  early.Input("x", {1, 2}).Output("y").Node("HardSwish", {"x"}, {"y"});
  EXPECT_NE(early.ImportMessage().find("opset 14 is the first"), std::string::npos) << early.ImportMessage();
}

// The definitions of opsets 22 to 28 that change what is imported: types of elements, and these attributes.
TEST(ImportOnnx, ReadsTheAttributesOfLaterOpsets) {
  ModelBuilder cast(24);
  cast.IntegerInput("x", {2}).Output("y");
  cast.Node("Cast", {"x"}, {"y"}).Int("to", TensorProto::FLOAT).String("round_mode", "up").Int("saturate", 1);
  EXPECT_EQ(cast.ImportLabel(), "");
  ModelBuilder range(27);
  range.Input("x", {3})
      .Integers("n", {{}, {0}})
      .Integers("m", {{}, {3}})
      .Integers("s", {{}, {1}})
      .Output("y");
  range.Node("Range", {"n", "m", "s"}, {"r"}).Int("stash_type", 1);
  range.Node("Cast", {"r"}, {"f"}).Int("to", TensorProto::FLOAT);
  range.Node("Add", {"x", "f"}, {"y"});
  EXPECT_EQ(range.Run({{{3}, {1, 1, 1}}}), (std::vector<Tensor>{FloatTensor{{3}, {1, 2, 3}}}));
  for (const auto& [type, label] : {std::pair<int64_t, std::string>{0, ""},
                                    {TensorProto::FLOAT, ""},
                                    {TensorProto::FLOAT16, ""},
                                    {TensorProto::INT8, "model_malformed"}}) {
    ModelBuilder grid(23);
    grid.Input("x", {2}).Weight("s", {{}, {0.5f}}).Codes("z", TensorProto::INT8, {{}, {0}}).Output("y");
    grid.Node("QuantizeLinear", {"x", "s", "z"}, {"q"}).Int("precision", type);
    grid.Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Int("output_dtype", type);
    EXPECT_EQ(grid.ImportLabel(), label) << type;
  }
  for (const char* added :
       {"TensorScatter", "BitCast", "CumProd", "CausalConvWithState", "LinearAttention", "SwiGLU"}) {
    ModelBuilder model(28);
    model.Input("x", {1, 2}).Output("y").Node(added, {"x"}, {"y"});
    EXPECT_EQ(model.ImportLabel(), "model_unsupported_operator") << added;
  }
}

TEST(ImportOnnx, SortsNodesThatComeBeforeWhatTheyRead) {
  ModelBuilder model;
  model.Input("x", {2}).Output("y");
  model.Node("Neg", {"b"}, {"y"});
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Neg", {"x"}, {"a"});
  EXPECT_EQ(model.Run({{{2}, {-3, 4}}}), (std::vector<Tensor>{FloatTensor{{2}, {-3, 0}}}));
  // A cycle has no order.
  ModelBuilder cycle;
  cycle.Input("x", {2}).Output("y");
  cycle.Node("Add", {"x", "y"}, {"a"});
  cycle.Node("Relu", {"a"}, {"y"});
  EXPECT_EQ(cycle.ImportLabel(), "model_malformed");
}

TEST(ImportOnnx, OnnxMalformed_ANodeWithoutOutputs) {
  ModelBuilder model = ReluModel();
  model.Node("Mul", {"x", "x"}, {});
  EXPECT_EQ(model.ImportLabel(), "model_malformed");
}

// Names stay as they are through every pass; what is not printable is escaped once.
TEST(ImportOnnx, NamesAreKeptAndBounded) {
  const std::string odd = "it's \"caf\u00e9\" \\ x";
  ModelBuilder model;
  model.Input(odd, {2}).Output("y\n").Node("Relu", {odd}, {"y\n"});
  auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(graph->values[0].name, odd);
    EXPECT_EQ(graph->outputs[0].name, "y\\u{a}");
    graph = quant::FoldBatchNorm(*graph);
    ASSERT_TRUE(graph.ok()) << graph.status();
  }
  for (const auto& [length, label] : {std::pair<size_t, std::string>{256, ""}, {257, "model_name"}}) {
    const std::string name(length, 'n');
    ModelBuilder input, output;
    input.Input(name, {2}).Output("y").Node("Relu", {name}, {"y"});
    output.Input("x", {2}).Output(name).Node("Relu", {"x"}, {name});
    EXPECT_EQ(input.ImportLabel(), label) << length;
    EXPECT_EQ(output.ImportLabel(), label) << length;
  }
  // One of a megabyte in between is cut.
  ModelBuilder inner;
  const std::string huge(1 << 20, '\\');
  inner.Input("x", {2}).Output("y").Node("Relu", {"x"}, {huge});
  inner.Node("Neg", {huge}, {"y"});
  const auto cut = inner.Import();
  ASSERT_TRUE(cut.ok()) << cut.status();
  for (const quant::Value& value : cut->values) EXPECT_LE(value.name.size(), quant::kMaxValueNameBytes);
}

TEST(ImportOnnx, FixedInputsAreConstants) {
  ModelBuilder model;
  model.Input("x", {2}).IntegerInput("mode", {}).Output("y");
  model.Node("Cast", {"mode"}, {"factor"}).Int("to", TensorProto::FLOAT);
  model.Node("Mul", {"x", "factor"}, {"y"});
  const ImportOptions three = {.shapes = {.values = {{"mode", {3}}}}};
  EXPECT_EQ(model.Run({{{2}, {1, 2}}}, three), (std::vector<Tensor>{FloatTensor{{2}, {3, 6}}}));
  EXPECT_EQ(model.ImportLabel({.shapes = {.values = {{"mode", {0.5}}}}}), "model_unsupported_type");
  EXPECT_EQ(model.ImportLabel({.shapes = {.values = {{"mode", {1, 2}}}}}), "model_shape");
  EXPECT_EQ(model.ImportLabel({.shapes = {.values = {{"none", {1}}}}}), "model_shape");
  EXPECT_EQ(model.ImportLabel({.shapes = {.values = {{"x", {1, 2}}}}}),
            "");  // one of floats, element by element
  ModelBuilder large;
  large.Input("x", {1 << 11, 1 << 11}).Output("y").Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(large.ImportLabel({.shapes = {.values = {{"x", {1}}}}}), "model_too_large");
}

TEST(ImportOnnx, AnInputOfNoElementsDropsOutOfAConcat) {
  ModelBuilder model;
  model.Input("past", {1, -1, 2}).Input("x", {1, 3, 2}).Output("y");
  model.Node("Concat", {"past", "x"}, {"all"}).Int("axis", 1);
  model.Node("Neg", {"all"}, {"y"});
  const auto graph = model.Import({.shapes = {.shapes = {{"past", {1, 0, 2}}}}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->values[graph->outputs[0].value].type.shape, (Shape{1, 3, 2}));
}

TEST(ImportOnnx, OnnxUnsupportedOperator_SaysWhichAndWhere) {
  ModelBuilder model = ReluModel(11);
  model.Node("Unknown", {"y"}, {"z"});
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_operator");
  EXPECT_EQ(model.ImportMessage(),
            "node 1 'the_Unknown' (Unknown, ai.onnx opset 11): operator Unknown is not imported");
  ModelBuilder domain = ReluModel();
  domain.Node("Relu", {"y"}, {"z"}).Domain("com.example");
  EXPECT_EQ(domain.ImportLabel(), "model_unsupported_operator");
  EXPECT_EQ(domain.ImportMessage(),
            "node 1 'the_Relu' (Relu, com.example): no such operator of this domain is imported");
  ModelBuilder alias = ReluModel();
  alias.Node("Relu", {"y"}, {"z"}).Domain("ai.onnx");
  EXPECT_EQ(alias.ImportLabel(), "");
  EXPECT_EQ(ErrorLabel(FindOperator("", "Upsample", 10).status()), "model_unsupported_operator");
  EXPECT_TRUE(FindOperator("", "Upsample", 9).ok());
}

TEST(ImportOnnx, OnnxUnsupportedAttribute_SaysWhichAndWhere) {
  ModelBuilder model;
  model.Input("x", {1}).Output("y").Node("Relu", {"x"}, {"y"}).Float("slope", 1);
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(model.ImportMessage(),
            "node 0 'the_Relu' (Relu, ai.onnx opset 13): attribute slope is not known");
}

TEST(ImportOnnx, OnnxShape_MessagesOfTheGraphNameTheNodeOnce) {
  ModelBuilder model;
  model.Input("x", {2}).Input("z", {3}).Output("y").Node("Add", {"x", "z"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_shape");
  EXPECT_EQ(model.ImportMessage(),
            "node 0 'the_Add' (Add, ai.onnx opset 13): shapes [2] and [3] do not broadcast");
}

TEST(ImportOnnx, OnnxMalformed_Names) {
  ModelBuilder undefined;
  undefined.Input("x", {1}).Output("y").Node("Relu", {"nowhere"}, {"y"});
  EXPECT_EQ(undefined.ImportLabel(), "model_malformed");
  ModelBuilder twice;
  twice.Input("x", {1}).Output("y").Node("Relu", {"x"}, {"y"});
  twice.Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(twice.ImportLabel(), "model_malformed");
  ModelBuilder unnamed_output;
  unnamed_output.Input("x", {1}).Output("x").Node("Relu", {"x"}, {""});
  EXPECT_EQ(unnamed_output.ImportLabel(), "model_malformed");
  ModelBuilder no_output_at_all;
  no_output_at_all.Input("x", {1}).Output("x").Node("Relu", {"x"}, {});
  EXPECT_EQ(no_output_at_all.ImportLabel(), "model_malformed");
  ModelBuilder unnamed_weight;
  unnamed_weight.Input("x", {1}).Weight("", {{1}, {1}}).Output("x");
  EXPECT_EQ(unnamed_weight.ImportLabel(), "model_malformed");
  ModelBuilder weights_alike;
  weights_alike.Input("x", {1}).Weight("w", {{1}, {1}}).Weight("w", {{1}, {1}}).Output("x");
  EXPECT_EQ(weights_alike.ImportLabel(), "model_malformed");
  ModelBuilder output;
  output.Input("x", {1}).Output("y");
  EXPECT_EQ(output.ImportLabel(), "model_malformed");
  ModelBuilder nothing;
  nothing.Input("x", {1});
  EXPECT_EQ(nothing.ImportLabel(), "model_malformed");
}

TEST(ImportOnnx, OnnxShape_Inputs) {
  ModelBuilder open;
  open.Input("x", {1, -1}).Output("x");
  EXPECT_EQ(open.ImportLabel(), "model_open_dimension");
  ModelBuilder shapeless = ReluModel();
  shapeless.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(shapeless.ImportLabel(), "model_open_dimension");
  EXPECT_EQ(ReluModel().ImportLabel({.shapes = {.batch = 0}}), "model_shape");
  ModelBuilder large;
  large.Input("x", {1 << 20, 1 << 20}).Output("x");
  EXPECT_EQ(large.ImportLabel(), "model_shape");
  ModelBuilder deep;
  deep.Input("x", std::vector<int64_t>(9, 1)).Output("x");
  EXPECT_EQ(deep.ImportLabel(), "model_shape");
}

// An input that an initializer gives a value, whose type and shape the file states twice.
TEST(ImportOnnx, OnnxMalformed_InitializersThatAreAnotherInput) {
  const auto label = [](const std::vector<int64_t>& dims, int type) {
    ModelBuilder model;
    model.Input("x", {2}).Input("w", dims).Weight("w", {{2}, {1, 2}}).Output("y");
    model.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    model.Node("Add", {"x", "w"}, {"y"});
    return model.ImportLabel();
  };
  EXPECT_EQ(label({2}, TensorProto::FLOAT), "");
  EXPECT_EQ(label({-1}, TensorProto::UNDEFINED), "");
  EXPECT_EQ(label({3}, TensorProto::FLOAT), "model_malformed");
  EXPECT_EQ(label({1, 2}, TensorProto::FLOAT), "model_malformed");
  EXPECT_EQ(label({2}, TensorProto::INT64), "model_malformed");
}

TEST(ImportOnnx, OnnxMalformed_OutputsOfAnotherType) {
  const auto label = [](const char* op, int type) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y").Node(op, {"x"}, {"y"});
    model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("Relu", TensorProto::FLOAT), "");
  EXPECT_EQ(label("Relu", TensorProto::INT64), "model_malformed");
  EXPECT_EQ(label("ArgMax", TensorProto::INT64), "");
  EXPECT_EQ(label("ArgMax", TensorProto::FLOAT), "model_malformed");
}

TEST(ImportOnnx, OnnxShape_DeclaredOutputs) {
  const auto label = [](const std::vector<int64_t>& declared) {
    ModelBuilder model = ReluModel();
    auto* shape = model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const int64_t dimension : declared) shape->add_dim()->set_dim_value(dimension);
    return model.ImportLabel();
  };
  EXPECT_EQ(label({1, 3}), "");
  EXPECT_EQ(label({0, 3}), "");
  EXPECT_EQ(label({1, 4}), "model_shape");
  EXPECT_EQ(label({1, 3, 1}), "model_shape");
}

TEST(ImportOnnx, OnnxUnsupportedType_InputsAndInitializers) {
  ModelBuilder bytes = ReluModel();
  bytes.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::UINT8);
  EXPECT_EQ(bytes.ImportLabel(), "model_unsupported_type");
  ModelBuilder sequence = ReluModel();
  sequence.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(sequence.ImportLabel(), "model_unsupported_type");
  ModelBuilder sparse = ReluModel();
  sparse.graph().add_sparse_initializer();
  EXPECT_EQ(sparse.ImportLabel(), "model_unsupported_type");
  ModelBuilder weight;
  weight.Input("x", {1}).Output("y").Weight("w", {{1}, {1}});
  weight.graph().mutable_initializer(0)->set_data_type(TensorProto::UINT32);
  weight.Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(weight.ImportLabel(), "");  // nothing reads it
  weight.Node("Add", {"y", "w"}, {"z"});
  EXPECT_EQ(weight.ImportLabel(), "model_unsupported_type");
}

TEST(ImportOnnx, OnnxExternalData) {
  ModelBuilder model = ReluModel();
  model.Weight("w", {{1}, {1}});
  model.graph().mutable_initializer(0)->set_data_location(TensorProto::EXTERNAL);
  EXPECT_EQ(model.ImportLabel(), "onnx_external_data");
  EXPECT_EQ(model.ImportMessage().substr(0, 12), "tensor 'w': ");
}

TEST(ImportOnnx, OnnxNanWeight_NamesTheWeight) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    ModelBuilder model;
    model.Input("x", {2}).Weight("w", {{2}, {1, bad}}).Output("y").Node("Add", {"x", "w"}, {"y"});
    EXPECT_EQ(model.ImportLabel(), "model_nan_weight");
    EXPECT_NE(model.ImportMessage().find("'w'"), std::string::npos) << model.ImportMessage();
  }
}

TEST(ImportOnnx, HostileNamesReachNoTerminal) {
  ModelBuilder model;
  model.Input("x\x1b[2J", {1}).Output("y").Node("Unknown\x07", {"x\x1b[2J"}, {"y"});
  for (const char c : model.ImportMessage()) EXPECT_TRUE(c >= ' ' && c <= '~');
  ModelBuilder accepted;
  accepted.Input("x\x1b", {1}).Output("\xff").Node("Relu", {"x\x1b"}, {"\xff"});
  EXPECT_EQ(accepted.ImportLabel(), "");
  EXPECT_EQ(accepted.Import()->outputs[0].name, "\\xff");
}

TEST(FindOperator, EveryRowHasItsOpsets) {
  EXPECT_EQ(*FindOperator("", "Softmax", 12), ImportFlatSoftmax);
  EXPECT_EQ(*FindOperator("", "Softmax", 13), ImportSoftmax);
  EXPECT_EQ(*FindOperator("", "Clip", 10), ImportClipByAttributes);
  EXPECT_EQ(*FindOperator("", "Clip", 11), ImportClip);
  EXPECT_EQ(ErrorLabel(FindOperator("", "conv", 13).status()), "model_unsupported_operator");
}

}  // namespace
}  // namespace tally::onnx
