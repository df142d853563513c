// Files as a whole; values of every operation are in tests/formats.
#include "frontends/openvino/import_openvino.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/io/file.h"
#include "frontends/openvino/testing/ir_writer.h"
#include "frontends/openvino/testing/sample_models.h"
#include "quant/graph/float_executor.h"

namespace tally::openvino {
namespace {

using Port = IrWriter::Port;

std::string LabelOf(const std::string& text, const std::vector<uint8_t>& weights = {}) {
  return std::string(ErrorLabel(IrWriter::ImportText(text, weights).status()));
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// x -> ReLU -> y
IrWriter Small() {
  IrWriter ir;
  ir.Result(ir.Layer("ReLU", "y", {ir.Parameter("x", {2, 3})}, {{2, 3}})[0]);
  return ir;
}

TEST(OpenVino, SamplesImport) {
  for (const auto& [name, model] : SampleModels()) {
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << name << ": " << graph.status();
  }
}

TEST(OpenVino, InputsAndOutputsAreCalledAsTheFileDoes) {
  const auto graph = Small().Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->values[graph->inputs[0]].name, "x");
  EXPECT_EQ(graph->outputs[0].name, "y");
}

TEST(OpenVino, AValueThatTwoResultsReadHasTwoNames) {
  IrWriter ir;
  const Port y = ir.Layer("ReLU", "y", {ir.Parameter("x", {2})}, {{2}})[0];
  ir.Result(y);
  ir.Result(y);
  const auto graph = ir.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->outputs.size(), 2u);
  EXPECT_EQ(graph->outputs[1].name, "result3");
}

TEST(OpenVino, FilesAreKnownByTheirFirstElement) {
  const auto is_ir = [](const std::string& text) {
    return IsIr({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  EXPECT_TRUE(is_ir(Small().xml()));
  EXPECT_TRUE(is_ir("\xef\xbb\xbf<net name=\"n\" version=\"10\"/>"));
  EXPECT_FALSE(is_ir("<html></html>"));
  EXPECT_FALSE(is_ir("7767517 <net "));
  EXPECT_FALSE(is_ir(""));
}

TEST(OpenVino, OtherVersionsAreRefused) {
  EXPECT_EQ(LabelOf(Small().xml("11")), "");
  EXPECT_EQ(LabelOf(Small().xml("7")), "model_unsupported_type");
  EXPECT_EQ(LabelOf(Small().xml("")), "model_malformed");
}

TEST(OpenVino, WhatIsNoXmlIsRefused) {
  const std::string whole = Small().xml();
  EXPECT_EQ(LabelOf("<net name=\"n\" version=\"10\"><layers>"), "model_malformed");
  EXPECT_EQ(LabelOf("<other/>"), "model_malformed");
  // A document type has entities, by which a few lines are many, or another file.
  const std::string bomb =
      "<!DOCTYPE net [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>" + whole.substr(whole.find("<net"));
  EXPECT_EQ(LabelOf(bomb), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(bomb, "name=\"y\"", "name=\"&b;\"")), "model_malformed");
}

// Two statements of one file that differ, one of which would win unseen.
TEST(OpenVino, ContradictionsAreRefused) {
  const std::string whole = Small().xml();
  const auto doubled = [&](const std::string& begin, const std::string& end) {
    const size_t first = whole.find(begin), after = whole.find(end, first) + end.size();
    return Replaced(whole, begin, whole.substr(first, after - first) + begin);
  };
  EXPECT_EQ(LabelOf(doubled("<layers>", "</layers>")), "model_malformed");
  EXPECT_EQ(LabelOf(doubled("<edges>", "</edges>")), "model_malformed");
  EXPECT_EQ(LabelOf(doubled("<data ", "/>")), "model_malformed");
  EXPECT_EQ(LabelOf(doubled("<input>", "</input>")), "model_malformed");
  EXPECT_EQ(LabelOf(doubled("<output>", "</output>")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "name=\"x\"", "name=\"x\" name=\"z\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "version=\"10\"", "version=\"10\" version=\"11\"")), "model_malformed");
  // A Parameter states its type and shape itself, and by its port.
  EXPECT_EQ(LabelOf(Replaced(whole, "shape=\"2,3\"", "shape=\"2,4\"")), "model_shape");
  EXPECT_EQ(LabelOf(Replaced(whole, "shape=\"2,3\"", "shape=\"6\"")), "model_shape");
  EXPECT_EQ(LabelOf(Replaced(whole, "shape=\"2,3\"", "shape=\"1..5,3\"")), "model_shape");
  EXPECT_EQ(LabelOf(Replaced(whole, "precision=\"f32\"", "precision=\"I64\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "element_type=\"f32\"", "element_type=\"i32\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "precision=\"f32\"", "precision=\"UNSPECIFIED\"")), "");
  // The two ends of an edge: the second port of [2, 3] is the ReLU's input.
  const size_t input = whole.find("<input>"), result = whole.rfind("<input>");
  EXPECT_EQ(LabelOf(whole.substr(0, input) + Replaced(whole.substr(input), "<dim>3</dim>", "<dim>7</dim>")),
            "model_malformed");
  EXPECT_EQ(LabelOf(whole.substr(0, result) + Replaced(whole.substr(result), "<dim>2</dim>", "")),
            "model_malformed");
  IrWriter ir;
  ir.Result(ir.Layer("Add", "y", {ir.Parameter("x", {2}), ir.Constant("k", {2}, {1, 2})}, {{2}})[0]);
  const std::string sum = ir.xml();
  EXPECT_EQ(LabelOf(sum, ir.weights()), "");
  EXPECT_EQ(LabelOf(Replaced(sum, "offset=\"0\"", "offset=\" 0\""), ir.weights()), "model_malformed");
}

TEST(OpenVino, IdsNamesAndPortsAreChecked) {
  const std::string whole = Small().xml();
  EXPECT_EQ(LabelOf(Replaced(whole, "layer id=\"1\"", "layer id=\"0\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "name=\"y\"", "name=\"x\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "layer id=\"1\"", "layer id=\"one\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "from-port=\"0\"", "from-port=\"7\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "to-layer=\"1\"", "to-layer=\"9\"")), "model_malformed");
  EXPECT_EQ(LabelOf(Replaced(whole, "from-layer=\"0\"", "from-layer=\"99999999999999999999\"")),
            "model_malformed");
  IrWriter twice = Small();
  twice.Edge(0, 0, 1, 0);
  EXPECT_EQ(twice.ImportLabel(), "model_malformed");
}

TEST(OpenVino, CirclesAreRefused) {
  IrWriter ir;
  const Port x = ir.Parameter("x", {2});
  const Port a = ir.Layer("Add", "a", {x, {2, 1, {2}}}, {{2}})[0];
  ir.Result(ir.Layer("ReLU", "b", {a}, {{2}})[0]);
  EXPECT_EQ(ir.ImportLabel(), "model_malformed");
}

// A constant leaves memory after the last layer that reads it, and not after the first.
TEST(OpenVino, ConstantsStayForAllWhoReadThem) {
  IrWriter ir;
  const Port c = ir.Constant("c", {2}, {2, 3});
  const Port sum = ir.Layer("Add", "sum", {ir.Parameter("x", {2}), c}, {{2}})[0];
  ir.Result(ir.Layer("Multiply", "y", {sum, c}, {{2}})[0]);
  const auto graph = ir.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto y = quant::RunGraph(*graph, std::vector{quant::FloatTensor{{2}, {1, 1}}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)[0], quant::Tensor(quant::FloatTensor{{2}, {6, 12}}));
}

TEST(OpenVino, StatesAreRefusedByName) {
  for (const std::string type : {"ReadValue", "Assign"}) {
    IrWriter ir;
    ir.Result(ir.Layer(type, "state", {ir.Parameter("x", {2})}, {{2}}, "variable_id=\"h\"", "opset3")[0]);
    EXPECT_EQ(ir.ImportLabel(), "model_unsupported_operator");
    EXPECT_NE(ir.Import().status().message().find("keeps nothing between runs"), std::string::npos);
  }
}

// XML in XML is no layer, however deep.
TEST(OpenVino, DeepElementsAreNoLayers) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_EQ(LabelOf(Replaced(Small().xml(), "<layers>", deep + "<layers>")), "");
  EXPECT_EQ(LabelOf(Replaced(Small().xml(), "<layers>", deep.substr(0, 300000) + "<layers>")),
            "model_malformed");
}

TEST(OpenVino, ShapesThatAreGiven) {
  const std::string whole = Small().xml();
  const auto label = [](const std::string& text, const std::vector<int64_t>& shape) {
    frontend::GivenInputs given;
    if (!shape.empty()) given.shapes["x"] = shape;
    return std::string(ErrorLabel(ImportOpenVino({AsBytes(text), {}}, given).status()));
  };
  EXPECT_EQ(label(whole, {4, 5}), "");  // another size than the file was converted with
  EXPECT_EQ(label(whole, {4, 5, 6}), "model_shape");
  const std::string port = Replaced(whole, "<dim>2</dim><dim>3</dim>", "<dim>-1</dim><dim>-1</dim>");
  const std::string open = Replaced(port, "shape=\"2,3\"", "shape=\"?,16..32\"");
  EXPECT_EQ(label(open, {}), "model_open_dimension");
  EXPECT_EQ(label(open, {2, 16}), "");
  EXPECT_EQ(label(open, {2, 33}), "model_shape");
  EXPECT_EQ(label(Replaced(port, "shape=\"2,3\"", "shape=\"?,16..\""), {2, 64}), "");
}

TEST(OpenVino, FixedInputsAreConstants) {
  IrWriter ir;
  ir.Result(ir.Layer("Add", "y", {ir.Parameter("x", {3}), ir.Parameter("size", {3})}, {{3}})[0]);
  const std::string text = ir.xml();
  const auto fixed = [&](const std::string& name, const std::vector<double>& values) {
    frontend::GivenInputs given;
    given.values[name] = values;
    return ImportOpenVino({AsBytes(text), {}}, given);
  };
  const auto graph = fixed("size", {600, 800, 1});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs.size(), 1u);
  const auto y = quant::RunGraph(*graph, std::vector{quant::FloatTensor{{3}, {1, 2, 3}}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)[0], quant::Tensor(quant::FloatTensor{{3}, {601, 802, 4}}));
  EXPECT_TRUE(fixed("size", {7}).ok());
  EXPECT_EQ(ErrorLabel(fixed("size", {1, 2}).status()), "model_shape");
  EXPECT_EQ(ErrorLabel(fixed("other", {1}).status()), "model_shape");
}

// A number, a picture, and a scale.
TEST(OpenVino, PreprocessingIsPartOfTheGraph) {
  IrWriter ir;
  const Port x = ir.Parameter("x", {1, 2, 1, 2});
  ir.Constant("picture", {2}, {10, 20});
  ir.Result(ir.Layer("ReLU", "y", {x}, {{1, 2, 1, 2}})[0]);
  const auto with = [&](const std::string& element) {
    const std::string text = Replaced(ir.xml(), "<layers>", element + "<layers>");
    return ImportOpenVino({AsBytes(text), ir.weights()}, {});
  };
  const auto graph = with(
      "<pre-process mean-precision=\"FP32\" reference-layer-name=\"x\"><channel id=\"0\"><mean value=\"3\"/>"
      "<scale value=\"2\"/></channel><channel id=\"1\"><mean offset=\"0\" "
      "size=\"8\"/></channel></pre-process>");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto y = quant::RunGraph(*graph, std::vector{quant::FloatTensor{{1, 2, 1, 2}, {5, 9, 11, 50}}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)[0], quant::Tensor(quant::FloatTensor{{1, 2, 1, 2}, {1, 3, 1, 30}}));
  const auto label = [&](const std::string& element) {
    return std::string(ErrorLabel(with(element).status()));
  };
  EXPECT_EQ(label("<pre-process/>"), "");
  EXPECT_EQ(label("<pre-process reference-layer-name=\"z\"><channel id=\"0\"/></pre-process>"),
            "model_malformed");
  EXPECT_EQ(label("<pre-process><channel id=\"0\"/></pre-process>"), "model_shape");
  EXPECT_EQ(label("<pre-process><channel id=\"0\"/><channel id=\"0\"/></pre-process>"), "model_malformed");
  EXPECT_EQ(label("<pre-process><channel id=\"0\"/><channel id=\"2\"/></pre-process>"), "model_malformed");
  EXPECT_EQ(label("<pre-process><channel id=\"0\"><mean offset=\"4\" size=\"8\"/></channel><channel "
                  "id=\"1\"/></pre-process>"),
            "model_malformed");
}

// The samples' loop with other text in the place of some.
std::string LoopLabel(const std::string& from, const std::string& to) {
  for (const auto& [name, model] : SampleModels()) {
    if (name == "loop") return LabelOf(Replaced(model.xml(), from, to), model.weights());
  }
  return "no such sample";
}

TEST(OpenVino, LoopsAreChecked) {
  EXPECT_EQ(LoopLabel("<port_map>", "<port_map>"), "");
  EXPECT_EQ(LoopLabel("external_port_id=\"1\"", "external_port_id=\"7\""), "model_malformed");
  EXPECT_EQ(LoopLabel("external_port_id=\"1\"", "external_port_id=\"-1\""), "model_malformed");
  EXPECT_EQ(LoopLabel("internal_layer_id=\"1\"", "internal_layer_id=\"0\""), "model_malformed");
  EXPECT_EQ(LoopLabel("internal_layer_id=\"1\"", "internal_layer_id=\"9\""), "model_malformed");
  EXPECT_EQ(LoopLabel("internal_layer_id=\"4\"", "internal_layer_id=\"3\""), "model_malformed");
  EXPECT_EQ(LoopLabel("from-layer=\"4\" to-layer=\"1\"", "from-layer=\"9\" to-layer=\"1\""),
            "model_malformed");
  EXPECT_EQ(LoopLabel("from-layer=\"4\" to-layer=\"1\"", "from-layer=\"4\" to-layer=\"0\""),
            "model_malformed");
  EXPECT_EQ(LoopLabel("part_size=\"1\"", "part_size=\"2\""), "model_unsupported_attribute");
  EXPECT_EQ(LoopLabel("part_size=\"1\"", "start=\"3\""), "model_shape");
  EXPECT_EQ(LoopLabel("part_size=\"1\"", "start=\"-1\" end=\"0\""), "model_shape");
  EXPECT_EQ(LoopLabel("part_size=\"1\"", "end=\"1\""), "model_shape");  // two trips, and ports of three
  EXPECT_EQ(LoopLabel(" axis=\"1\" part_size=\"1\"", ""),
            "model_unsupported_operand");  // nothing counts trips
  EXPECT_EQ(LoopLabel("<body>", "<other>").substr(0, 5), "model");
}

// Each level multiplies the trips: a short file must not become a large graph.
TEST(OpenVino, LoopsInLoopsAreLimited) {
  const auto nested = [](int depth, int trips) {
    std::string inner;
    for (int level = 0; level < depth; ++level) {
      IrWriter body;
      Port x = body.Parameter("x", {2});
      if (level > 0) {
        x = body.Layer("Loop", "loop",
                       {body.Parameter("n", {}, "i64"), body.Parameter("go", {}, "boolean"), x}, {{2}}, "",
                       "opset5", inner)[0];
      } else {
        x = body.Layer("Abs", "abs", {x}, {{2}})[0];
      }
      const std::string result = level > 0 ? "4" : "2";
      body.Result(x);
      inner = "<port_map><input external_port_id=\"2\" internal_layer_id=\"0\"/>";
      if (level > 0) {
        inner +=
            "<input external_port_id=\"0\" internal_layer_id=\"1\"/>"
            "<input external_port_id=\"1\" internal_layer_id=\"2\"/>";
      }
      inner += "<output external_port_id=\"3\" internal_layer_id=\"" + result +
               "\"/></port_map><back_edges><edge from-layer=\"" + result +
               "\" to-layer=\"0\"/></back_edges><body>" + body.graph() + "</body>";
    }
    IrWriter ir;
    const std::vector<Port> inputs = {ir.Integers("n", {}, {trips}), ir.Integers("go", {}, {1}),
                                      ir.Parameter("x", {2})};
    ir.Result(ir.Layer("Loop", "y", inputs, {{2}}, "", "opset5", inner)[0]);
    return ir.ImportLabel();
  };
  EXPECT_EQ(nested(2, 3), "");
  EXPECT_EQ(nested(8, 2), "");
  EXPECT_EQ(nested(9, 2), "model_too_large");
  EXPECT_EQ(nested(3, 200), "model_too_large");
  EXPECT_EQ(nested(1, 257), "model_too_large");
}

TEST(OpenVino, ConstantsStayWithinTheFile) {
  const auto with = [](const std::string& type, size_t offset, size_t size) {
    IrWriter ir;
    const Port x = ir.Parameter("x", {2}), c = ir.Constant("c", {2}, {1, 2}),
               d = ir.ConstantAt("d", {2}, type, offset, size);
    ir.Result(ir.Layer("Add", "y", {ir.Layer("Add", "z", {x, c}, {{2}})[0], d}, {{2}})[0]);
    return ir.ImportLabel();
  };
  EXPECT_EQ(with("f32", 0, 8), "");  // the bytes of another constant
  EXPECT_EQ(with("f32", 4, 8), "model_malformed");
  EXPECT_EQ(with("f32", 0, 4), "model_malformed");
  EXPECT_EQ(with("f32", ~size_t{0} / 2, 8), "model_malformed");
  EXPECT_EQ(with("f32", 0, ~size_t{0}), "model_malformed");
  EXPECT_EQ(with("f64", 0, 16), "model_malformed");
  EXPECT_EQ(with("f99", 0, 8), "model_unsupported_type");
  IrWriter empty;
  const Port huge = empty.ConstantAt("c", {0, int64_t{1} << 40, int64_t{1} << 40}, "f32", 0, 0);
  empty.Result(empty.Layer("Concat", "y", {empty.Parameter("w", {2}), huge}, {{2}}, "axis=\"0\"")[0]);
  EXPECT_EQ(empty.ImportLabel(), "model_shape");
  IrWriter nan;
  const Port x = nan.Parameter("x", {1});
  nan.Result(
      nan.Layer("Add", "y", {x, nan.Constant("c", {1}, {std::bit_cast<float>(0x7fc00000)})}, {{1}})[0]);
  EXPECT_EQ(nan.ImportLabel(), "model_nan_weight");
}

TEST(OpenVino, ShapesOfPortsAreChecked) {
  IrWriter ir;
  ir.Result(ir.Layer("ReLU", "y", {ir.Parameter("x", {2, 3})}, {{3, 2}})[0]);
  EXPECT_EQ(ir.ImportLabel(), "model_shape");
  IrWriter open;
  open.Result(open.Layer("ReLU", "y", {open.Parameter("x", {-1, 3})}, {{-1, 3}})[0]);
  EXPECT_EQ(open.ImportLabel(), "");  // the first dimension is the batch
  IrWriter none;
  none.Result(none.Layer("ReLU", "y", {none.Parameter("x", {1, -1})}, {{1, -1}})[0]);
  EXPECT_EQ(none.ImportLabel(), "model_open_dimension");
}

TEST(OpenVino, RefusalsNameTheLayerAsTheFileDoes) {
  IrWriter ir;
  ir.Result(ir.Layer("NoSuch", "y", {ir.Parameter("x", {2})}, {{2}}, "", "extension")[0]);
  const absl::Status status = ir.Import().status();
  EXPECT_EQ(ErrorLabel(status), "model_unsupported_operator");
  EXPECT_NE(status.message().find("layer 1 'y' (NoSuch, extension)"), std::string::npos) << status;
  IrWriter missing;
  missing.Result(missing.Layer("Elu", "y", {missing.Parameter("x", {2})}, {{2}})[0]);
  EXPECT_EQ(missing.ImportLabel(), "model_malformed");
  IrWriter unread;
  unread.Layer("NoSuch", "y", {unread.Parameter("x", {2})}, {{2}});  // no Result needs it
  unread.Result(unread.Layer("ReLU", "z", {unread.Parameter("w", {2})}, {{2}})[0]);
  EXPECT_EQ(unread.ImportLabel(), "");
}

// Attributes that say nothing are not read; any other one may be of a newer schema.
TEST(OpenVino, AttributesThatNobodyReadsAreRefused) {
  IrWriter ir;
  ir.Result(ir.Layer("ReLU", "y", {ir.Parameter("x", {2})}, {{2}}, "PrimitivesPriority=\"cpu\"")[0]);
  const auto label = [](const std::string& data, const std::string& version = "opset8") {
    IrWriter one;
    one.Result(one.Layer("ReLU", "y", {one.Parameter("x", {2})}, {{2}}, data, version)[0]);
    return one.ImportLabel();
  };
  EXPECT_EQ(label("slope=\"0.5\""), "model_unsupported_attribute");
  EXPECT_EQ(label("slope=\"0.5\"", "opset15"), "model_unsupported_attribute");
  EXPECT_EQ(label("eta=\"1.0\" visualize=\"True\"", "opset7"), "");  // Caffe's
  EXPECT_EQ(label("mode=\"leaky\""), "model_unsupported_attribute");
  EXPECT_EQ(label("dilations=\"2,1\""), "model_unsupported_attribute");
  EXPECT_EQ(label("slope=\"0\" mode=\"none\" dilations=\"1, 1\" auto_broadcast=\"numpy\""), "");
  const std::string text = ir.xml();
  const auto report = CheckOpenVino({{reinterpret_cast<const uint8_t*>(text.data()), text.size()}, {}}, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->imports());
  EXPECT_EQ(report->format, "OpenVINO, IR 10");
  EXPECT_TRUE(report->notes.empty());
}

// A grid of a network that was quantized stays: its parameter has it without samples.
TEST(OpenVino, GridsAreKept) {
  const auto label = [](const std::vector<float>& bounds, const std::string& levels) {
    IrWriter ir;
    const Port x = ir.Parameter("x", {4});
    std::vector<Port> inputs = {x};
    for (size_t i = 0; i < 4; ++i) inputs.push_back(ir.Constant("c" + std::to_string(i), {}, {bounds[i]}));
    ir.Result(ir.Layer("FakeQuantize", "y", inputs, {{4}}, "levels=\"" + levels + "\"")[0]);
    return ir.ImportLabel();
  };
  EXPECT_EQ(label({-1, 0.9921875f, -1, 0.9921875f}, "256"), "");
  EXPECT_EQ(label({0, 2, 0, 2}, "256"), "");
  EXPECT_EQ(label({-1, 1, -1, 1}, "255"), "");
  EXPECT_EQ(label({-1, 1, -2, 2}, "256"), "");
  EXPECT_EQ(label({1, 2, 1, 2}, "256"), "");
  EXPECT_EQ(label({1, -1, 1, -1}, "256"), "model_malformed");
  EXPECT_EQ(label({-1, 1, -1, 1}, "1"), "model_malformed");
}

}  // namespace
}  // namespace tally::openvino
