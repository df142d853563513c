// Files as a whole; values of every layer are in tests/formats.
#include "frontends/coreml/import_coreml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frontends/coreml/model_file.h"
#include "frontends/coreml/testing/coreml_writer.h"
#include "frontends/coreml/testing/sample_models.h"
#include "quant/graph/float_executor.h"

namespace tally::coreml {
namespace {

using Bytes = std::vector<uint8_t>;
using Ints = std::vector<int64_t>;
using quant::FloatTensor;
using quant::Shape;

std::string LabelOf(const Bytes& bytes, const frontend::GivenInputs& given = {}) {
  return std::string(ErrorLabel(ImportCoreml(bytes, given).status()));
}
std::string LabelOf(const Message& model) { return LabelOf(CoremlWriter::BytesOf(model)); }
std::string MessageOf(const Bytes& bytes) { return std::string(ImportCoreml(bytes, {}).status().message()); }

Message Sigmoid() { return Message().Add(40, Message()); }

// x -> sigmoid -> y, of lists.
CoremlWriter Small() {
  CoremlWriter net;
  net.Array("x", {3});
  net.Layer(130, {"x"}, {"y"}, Sigmoid(), "bend");
  net.Output("y", {3});
  return net;
}

std::vector<FloatTensor> RunFloat(const frontend::Network& network, const std::vector<FloatTensor>& inputs) {
  const auto results = quant::RunGraph(network.graph, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<FloatTensor> floats;
  for (const auto& result : *results) floats.push_back(std::get<FloatTensor>(result));
  return floats;
}

Shape ShapeOfInput(const frontend::Network& network, size_t i = 0) {
  return network.graph.values[network.graph.inputs[i]].type.shape;
}
Shape ShapeOfOutput(const frontend::Network& network, size_t i = 0) {
  return network.graph.values[network.graph.outputs[i].value].type.shape;
}

TEST(Coreml, SamplesImport) {
  for (const auto& [name, bytes] : SampleModels()) {
    const auto network = ImportCoreml(bytes, {});
    EXPECT_TRUE(network.ok()) << name << ": " << network.status();
  }
}

TEST(Coreml, FilesAreKnownByTheirFirstFields) {
  for (const auto& [name, bytes] : SampleModels()) EXPECT_TRUE(IsModelFile(bytes)) << name;
  const auto is_model = [](const std::string& text) { return IsModelFile(Bytes(text.begin(), text.end())); };
  EXPECT_FALSE(is_model(""));
  EXPECT_FALSE(is_model("7767517\n1 1\n"));
  EXPECT_FALSE(is_model("<net name=\"n\" version=\"10\"/>"));
  EXPECT_FALSE(is_model(Message().Add(1, 7).Add(2, "pytorch").Add(7, Message()).bytes()));  // ONNX
  EXPECT_TRUE(is_model(Message().Add(1, 7).Add(2, Message()).Add(502, Message()).bytes()));
}

TEST(Coreml, InputsAndOutputsAreCalledAsTheFileDoes) {
  const auto network = Small().Import();
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(network->graph.values[network->graph.inputs[0]].name, "x");
  EXPECT_EQ(network->graph.outputs[0].name, "y");
  EXPECT_EQ(ShapeOfInput(*network), (Shape{1, 3}));
  EXPECT_EQ(ShapeOfOutput(*network), (Shape{1, 3}));
}

TEST(Coreml, ErrorsNameTheLayer) {
  CoremlWriter net;
  net.Array("x", {3});
  net.Layer(130, {"x"}, {"y"}, Message(), "bend");
  net.Output("y", {3});
  EXPECT_EQ(MessageOf(net.Bytes()),
            "layer 0 'bend' (activation): it names no activation, or one that has layers of its own or is "
            "not in the format");
}

TEST(Coreml, OtherModelsAreRefusedByName) {
  const Message start = Message().Add(1, 6).Add(2, Message());
  for (const auto& [number, name] : {std::pair(502, "mlProgram"), std::pair(402, "treeEnsembleClassifier"),
                                     std::pair(604, "scaler"), std::pair(999, "type 999")}) {
    const Message model = start + Message().Add(number, Message());
    EXPECT_EQ(LabelOf(model), "model_unsupported_type");
    EXPECT_NE(MessageOf(CoremlWriter::BytesOf(model)).find(name), std::string::npos) << name;
  }
  EXPECT_EQ(LabelOf(start), "model_malformed");
}

TEST(Coreml, CustomAndUnknownLayersAreRefused) {
  for (const auto& [type, what] : {std::pair(500, "class 'Mine' is code"), std::pair(1480, "number 1480")}) {
    CoremlWriter net;
    net.Array("x", {3});
    net.Layer(type, {"x"}, {"y"}, Message().Add(10, "Mine"));
    net.Output("y", {3});
    EXPECT_EQ(net.ImportLabel(), "model_unsupported_operator");
    EXPECT_NE(MessageOf(net.Bytes()).find(what), std::string::npos) << MessageOf(net.Bytes());
  }
}

TEST(Coreml, AMessageThatIsCutIsRefused) {
  for (const auto& [name, bytes] : SampleModels()) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto network = ImportCoreml({bytes.data(), size}, {});
      ASSERT_FALSE(network.ok()) << name << " of " << size;
    }
  }
  Bytes bytes = Small().Bytes();
  bytes.resize(bytes.size() - 1);
  EXPECT_NE(MessageOf(bytes).find("at byte "), std::string::npos) << MessageOf(bytes);
}

TEST(Coreml, LengthsBeyondTheFileAreRefused) {
  const std::string start = Message().Add(1, 4).bytes();
  for (const std::string& length :
       {std::string("\xff\xff\xff\xff\x07"), std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    const std::string text = start + "\xa2\x1f" + length;  // field 500
    EXPECT_EQ(LabelOf(Bytes(text.begin(), text.end())), "model_malformed");
  }
}

TEST(Coreml, FieldsOfOtherWireTypesAreRefused) {
  EXPECT_EQ(LabelOf(Message().Add(1, "four").Add(500, Message())), "model_malformed");
  EXPECT_EQ(LabelOf(Message().Add(1, 4).Add(500, 7)), "model_malformed");
}

TEST(Coreml, UnknownFieldsAreSkippedAndMessagesMerged) {
  const Message model = Small().Model();
  EXPECT_EQ(LabelOf(model + Message().Add(90, "more").Add(91, 5)), "");
  // The second description adds an output that no layer gives.
  const Message more = Message().Add(2, Message().Add(10, ArrayFeature("z", {3})));
  EXPECT_EQ(LabelOf(model + more), "model_malformed");
  // The last of two models counts, and it has no layers.
  EXPECT_EQ(LabelOf(model + Message().Add(403, Message())), "model_malformed");
}

TEST(Coreml, ManySmallMessagesAreRefusedBeforeTheyTakeMemory) {
  std::string layers;
  for (int i = 0; i < (1 << 20) + 1; ++i) layers += std::string("\x0a\x00", 2);
  EXPECT_EQ(LabelOf(Message().Add(1, 4).Add(500, layers)), "model_too_large");
}

TEST(Coreml, MessagesInMessagesHaveABound) {
  Message pipeline = Message().Add(500, Message());
  for (int i = 0; i < 40; ++i) pipeline = Message().Add(202, Message().Add(1, pipeline));
  EXPECT_EQ(LabelOf(Message().Add(1, 4).Add(202, Message().Add(1, pipeline))), "model_too_large");
  CoremlWriter inner(true);
  inner.Layer(605, {"x"}, {});
  for (int i = 0; i < 30; ++i) {
    CoremlWriter outer(true);
    outer.Layer(605, {"x"}, {}, Message().Add(1, inner.Network()));
    inner = outer;
  }
  EXPECT_EQ(LabelOf(Message().Add(1, 4).Add(500, inner.Network())), "model_too_large");
}

TEST(Coreml, WeightsOfAnotherLengthAreRefused) {
  const auto dense = [](const Message& weights) {
    CoremlWriter net;
    net.Array("x", {3});
    net.Layer(140, {"x"}, {"y"}, Message().Add(1, 3).Add(2, 2).Add(20, weights), "dense");
    net.Output("y", {2});
    return net.Bytes();
  };
  const auto linear = [](int64_t bits, const std::vector<float>& scale, const std::vector<float>& bias = {}) {
    return Message().Add(1, bits).Add(101, Message().Add(1, scale).Add(2, bias));
  };
  const auto table = [](int64_t bits, int size) {
    return Message().Add(1, bits).Add(102,
                                      Message().Add(1, std::vector<float>(static_cast<size_t>(size), 0.5f)));
  };
  EXPECT_EQ(LabelOf(dense(Floats(std::vector<float>(6, 1)))), "");
  const std::vector<Message> wrong = {
      Message(),
      Floats(std::vector<float>(5, 1)),
      Floats(std::vector<float>(7, 1)),
      Message().Add(2, std::string(11, 'h')),
      Message().Add(2, std::string(10, 'h')),
      Floats(std::vector<float>(6, 1)) + Message().Add(2, std::string(12, 'h')),
      Message().Add(30, std::string(6, 'c')),
      Message().Add(30, std::string(6, 'c')).Add(40, Message().Add(1, 8)),
      Message().Add(30, std::string(5, 'c')).Add(40, linear(8, {1})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(0, {1})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(9, {1})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(int64_t{1} << 40, {1})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(8, {})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(8, {1, 1, 1})),
      Message().Add(30, std::string(6, 'c')).Add(40, linear(8, {1, 1}, {1})),
      Message().Add(30, std::string(2, 'c')).Add(40, linear(3, {1})),
      Message().Add(30, std::string(6, 'c')).Add(40, table(8, 255)),
      Message().Add(30, std::string(2, 'c')).Add(40, table(2, 5)),
      Message().Add(31, std::string(6, 'c')).Add(40, linear(7, {1})),
      Message().Add(31, std::string(6, 'c')).Add(40, table(8, 256)),
      Message().Add(31, std::string(7, 'c')).Add(40, linear(8, {1})),
  };
  for (const Message& weights : wrong) {
    EXPECT_EQ(LabelOf(dense(weights)), "model_malformed") << MessageOf(dense(weights));
  }
  EXPECT_EQ(MessageOf(dense(wrong[1])),
            "layer 0 'dense' (innerProduct): tensor dense.weights has 5 elements, not the 6 of [2, 3]");
}

TEST(Coreml, NamesThatNothingGivesAreRefused) {
  CoremlWriter net = Small();
  net.Layer(130, {"later"}, {"z"}, Sigmoid());
  net.Layer(130, {"y"}, {"later"}, Sigmoid());
  EXPECT_EQ(net.ImportLabel(), "model_malformed");  // layers are in their order, so there are no cycles
  CoremlWriter twice = Small();
  twice.Layer(130, {"x"}, {"y"}, Sigmoid());
  EXPECT_EQ(twice.ImportLabel(), "model_malformed");
  CoremlWriter missing;
  missing.Array("x", {3});
  missing.Output("y", {3});
  EXPECT_EQ(missing.ImportLabel(), "model_malformed");
  CoremlWriter none = Small();
  CoremlWriter without;
  without.Array("x", {3});
  without.Layer(130, {"x"}, {"y"}, Sigmoid());
  EXPECT_EQ(without.ImportLabel(), "model_malformed");
}

TEST(Coreml, TextsNeedNotBeUtf8) {
  CoremlWriter net;
  net.Array("\xff", {3});
  net.Layer(130, {"\xff"}, {"\xfe\n"}, Sigmoid(), "\xc3");
  net.Output("\xfe\n", {3});
  const auto network = net.Import();
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(network->graph.outputs[0].name, "\\xfe\\u{a}");
}

TEST(Coreml, LayersWithoutOutputsAreRefused) {
  CoremlWriter net = Small();
  net.Layer(130, {"x"}, {}, Sigmoid());
  EXPECT_EQ(net.ImportLabel(), "model_malformed");
  CoremlWriter nameless = Small();
  nameless.Layer(130, {"x"}, {""}, Sigmoid());
  EXPECT_EQ(nameless.ImportLabel(), "model_malformed");
}

TEST(Coreml, ShapesAreGivenAsTheFileAllows) {
  const auto with = [](const Message& array, const Shape& given) {
    CoremlWriter net;
    net.Input(Message().Add(1, "x").Add(3, Message().Add(5, array)));
    net.Layer(130, {"x"}, {"y"}, Sigmoid());
    net.Output("y", {});
    frontend::GivenInputs inputs;
    if (!given.empty()) inputs.shapes["x"] = given;
    const auto network = net.Import(inputs);
    return network.ok() ? quant::ToString(ShapeOfOutput(*network))
                        : std::string(ErrorLabel(network.status()));
  };
  const Message fixed = Message().Add(1, Ints{3, 4, 5}).Add(2, 65568);
  EXPECT_EQ(with(fixed, {}), "[1, 3, 4, 5]");
  EXPECT_EQ(with(fixed, {2, 3, 4, 5}), "[2, 3, 4, 5]");
  EXPECT_EQ(with(fixed, {6, 2, 3, 4, 5}), "[6, 2, 3, 4, 5]");
  EXPECT_EQ(with(fixed, {1, 3, 4, 6}), "model_shape");
  EXPECT_EQ(with(fixed, {3, 4, 5}), "model_shape");
  const Message list = Message().Add(1, Ints{7}).Add(2, 65568);
  EXPECT_EQ(with(list, {5, 2, 7}), "[5, 2, 7]");
  EXPECT_EQ(with(list, {5, 2, 7, 1, 1}), "[5, 2, 7]");
  const auto range = [](int64_t low, int64_t high) { return Message().Add(1, low).Add(2, high); };
  const Message ranges =
      fixed + Message().Add(31, Message().Add(1, range(3, 3)).Add(1, range(2, 8)).Add(1, range(1, -1)));
  EXPECT_EQ(with(ranges, {}), "[1, 3, 4, 5]");
  EXPECT_EQ(with(ranges, {1, 3, 8, 999}), "[1, 3, 8, 999]");
  EXPECT_EQ(with(ranges, {1, 3, 9, 5}), "model_shape");
  const auto one = [](const Ints& shape) { return Message().Add(1, shape); };
  const Message listed = fixed + Message().Add(21, Message().Add(1, one({3, 8, 8})).Add(1, one({3, 16, 16})));
  EXPECT_EQ(with(listed, {1, 3, 16, 16}), "[1, 3, 16, 16]");
  EXPECT_EQ(with(listed, {1, 3, 16, 8}), "model_shape");
  EXPECT_EQ(with(Message().Add(2, 65568), {}), "model_open_dimension");
  EXPECT_EQ(with(Message().Add(1, Ints{3, 4}), {}), "model_shape");
  EXPECT_EQ(with(Message().Add(1, Ints{0}), {}), "model_open_dimension");
  EXPECT_EQ(with(Message().Add(1, Ints{int64_t{1} << 62, int64_t{1} << 62, 4}), {}), "model_shape");
}

TEST(Coreml, ImagesHaveSizesAndColors) {
  const auto with = [](const Message& image, const Shape& given) {
    CoremlWriter net;
    net.Input(Message().Add(1, "x").Add(3, Message().Add(4, image)));
    net.Layer(130, {"x"}, {"y"}, Sigmoid());
    net.Output("y", {});
    frontend::GivenInputs inputs;
    if (!given.empty()) inputs.shapes["x"] = given;
    const auto network = net.Import(inputs);
    return network.ok() ? quant::ToString(ShapeOfInput(*network)) : std::string(ErrorLabel(network.status()));
  };
  const Message image = Message().Add(1, 8).Add(2, 6);
  EXPECT_EQ(with(image + Message().Add(3, 20), {}), "[1, 3, 6, 8]");
  EXPECT_EQ(with(image + Message().Add(3, 10), {}), "[1, 1, 6, 8]");
  EXPECT_EQ(with(image + Message().Add(3, 25), {}), "model_malformed");
  const Message sizes = Message().Add(21, Message().Add(1, Message().Add(1, 4).Add(2, 5)));
  EXPECT_EQ(with(image + Message().Add(3, 30) + sizes, {1, 3, 5, 4}), "[1, 3, 5, 4]");
  EXPECT_EQ(with(image + Message().Add(3, 30) + sizes, {1, 3, 5, 5}), "model_shape");
  EXPECT_EQ(with(Message().Add(3, 30) + sizes, {}), "[1, 3, 5, 4]");
}

// Layers of later versions, or the mapping, say that ranks are those of the file.
TEST(Coreml, RanksAreThoseOfTheFileWhereItSaysSo) {
  CoremlWriter mapped(true);
  mapped.Array("x", {2, 3});
  mapped.Layer(130, {"x"}, {"y"}, Sigmoid());
  mapped.Output("y", {2, 3});
  const auto network = mapped.Import();
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(ShapeOfInput(*network), (Shape{2, 3}));
  CoremlWriter later;  // images of five dimensions
  later.Input(ImageFeature("x", 4, 5));
  later.Layer(665, {"x"}, {"y"});
  later.Output("y", {});
  const auto images = later.Import();
  ASSERT_TRUE(images.ok()) << images.status();
  EXPECT_EQ(ShapeOfInput(*images), (Shape{1, 3, 4, 5}));
  EXPECT_EQ(ShapeOfOutput(*images), (Shape{1, 1, 3, 4, 5}));
}

// The same steps of a sequence, whichever way the user gives them.
TEST(Coreml, SequencesAreGivenByShape) {
  CoremlWriter net;
  net.Array("x", {2});
  Message gru =
      Message().Add(1, 2).Add(2, 2).Add(10, Sigmoid()).Add(10, Message().Add(30, Message())).Add(15, 1);
  for (const int gate : {30, 31, 32, 50, 51, 52}) gru.Add(gate, Floats({0.5f, -0.25f, 0.125f, 1}));
  net.Layer(410, {"x"}, {"y", "h"}, gru);
  net.Output("y", {2});
  for (const Shape& shape : {Shape{4, 1, 2}, Shape{4, 1, 2, 1, 1}}) {
    frontend::GivenInputs given;
    given.shapes["x"] = shape;
    const auto network = net.Import(given);
    ASSERT_TRUE(network.ok()) << network.status();
    EXPECT_EQ(ShapeOfOutput(*network), (Shape{4, 1, 2}));
    const FloatTensor x{shape, {1, 2, 3, 4, -1, -2, -3, -4}};
    EXPECT_NE(RunFloat(*network, {x})[0].data[0], RunFloat(*network, {x})[0].data[2]);
  }
}

TEST(Coreml, AClassifierHasItsLabels) {
  const auto network = ImportCoreml(SampleModels()[0].bytes, {});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_EQ(network->labels.size(), 1u);
  EXPECT_EQ(network->labels[0].name, "scores");
  EXPECT_EQ(network->labels[0].labels, (std::vector<std::string>{"cat", "dog", "fish"}));
  EXPECT_EQ(ShapeOfOutput(*network), (Shape{1, 3}));
  ASSERT_EQ(network->pixels.size(), 1u);
  EXPECT_EQ(network->pixels[0].scale, 1.0f / 128);
  EXPECT_EQ(network->pixels[0].bias, (std::vector<float>{0, 0, -1}));  // blue
}

TEST(Coreml, LabelsThatDoNotFitAreRefused) {
  CoremlWriter net = Small();
  net.network().Add(101, Message().Add(1, Ints{1, 2}));
  EXPECT_EQ(LabelOf(net.Bytes(403)), "model_shape");
  CoremlWriter other = Small();
  other.network().Add(101, Message().Add(1, Ints{1, 2, 3})).Add(200, "nothing");
  EXPECT_EQ(LabelOf(other.Bytes(403)), "model_malformed");
  other = Small();
  other.network().Add(101, Message().Add(1, Ints{7, 8, 9})).Add(200, "y");
  const auto network = ImportCoreml(other.Bytes(403), {});
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(network->labels[0].labels, (std::vector<std::string>{"7", "8", "9"}));
}

TEST(Coreml, PreprocessingIsInTheOrderOfTheFile) {
  CoremlWriter net;
  net.Input(ImageFeature("x", 1, 1, 10));
  net.Layer(130, {"x"}, {"y"}, Message().Add(5, Message().Add(1, 1.0f)));
  net.Output("y", {1, 1, 1});
  const Message scaler = Message().Add(1, "x").Add(10, Message().Add(10, 2.0f).Add(30, 3.0f));
  const Message mean = Message().Add(1, "x").Add(11, Message().Add(1, std::vector<float>{5}));
  CoremlWriter first = net, second = net;
  first.network().Add(2, scaler).Add(2, mean);
  const auto scaled = first.Import();
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_EQ(scaled->pixels[0].scale, 2);
  EXPECT_EQ(RunFloat(*scaled, {{{1, 1, 1, 1}, {23}}})[0].data[0], 18);  // the graph reads 2 p + 3
  second.network().Add(2, mean).Add(2, scaler);
  const auto centred = second.Import();
  ASSERT_TRUE(centred.ok()) << centred.status();
  EXPECT_EQ(centred->pixels[0].scale, 1);
  EXPECT_EQ(RunFloat(*centred, {{{1, 1, 1, 1}, {10}}})[0].data[0], 13);
  CoremlWriter dark = net;
  dark.network().Add(2, Message().Add(1, "x").Add(10, Message().Add(30, 3.0f)));
  EXPECT_EQ(dark.ImportLabel(), "model_unsupported_attribute");
  CoremlWriter large = net;
  large.network().Add(2, Message().Add(1, "x").Add(11, Message().Add(1, std::vector<float>{5, 6})));
  EXPECT_EQ(large.ImportLabel(), "model_shape");
}

TEST(Coreml, PipelinesHandFeaturesOn) {
  const auto network = ImportCoreml(SampleModels()[2].bytes, {});
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(network->graph.inputs.size(), 1u);
  const Message description = Message().Add(1, ArrayFeature("x", {3})).Add(10, ArrayFeature("y", {3}));
  const auto pipeline = [&](const Message& model) {
    return LabelOf(Message().Add(1, 1).Add(2, description).Add(202, Message().Add(1, model)));
  };
  EXPECT_EQ(pipeline(Small().Model()), "");
  CoremlWriter stranger;
  stranger.Array("nowhere", {3});
  stranger.Layer(130, {"nowhere"}, {"y"}, Sigmoid());
  stranger.Output("y", {3});
  EXPECT_EQ(pipeline(stranger.Model()), "model_malformed");
  EXPECT_EQ(pipeline(Message().Add(1, 1).Add(402, Message())), "model_unsupported_type");
  EXPECT_EQ(LabelOf(Message().Add(1, 1).Add(2, description).Add(202, Message())), "model_malformed");
}

// A detector: boxes and scores of a network, and a model that suppresses.
TEST(Coreml, PipelinesEndInSuppression) {
  CoremlWriter net(true);
  net.Array("boxes", {3, 4});
  net.Array("scores", {3, 2});
  net.Layer(600, {"boxes"}, {"raw_boxes"});
  net.Layer(600, {"scores"}, {"raw_scores"});
  net.Output("raw_boxes", {3, 4});
  net.Output("raw_scores", {3, 2});
  const std::string iou("\x9a\x99\x99\x99\x99\x99\xd9\x3f", 8);  // 0.4
  Message suppression = Message()
                            .Add(203, "least")
                            .Add(200, "raw_scores")
                            .Add(201, "raw_boxes")
                            .Add(210, "best")
                            .Add(211, "kept");
  const std::string doubles = "\xf1\x06" + iou;  // field 110
  const Message description = Message()
                                  .Add(1, ArrayFeature("boxes", {3, 4}))
                                  .Add(1, ArrayFeature("scores", {3, 2}))
                                  .Add(1, Message().Add(1, "least").Add(3, Message().Add(2, Message())))
                                  .Add(10, ArrayFeature("kept", {3, 4}))
                                  .Add(10, ArrayFeature("best", {3, 2}));
  const Message last = Message().Add(1, 1).Add(610, suppression.bytes() + doubles);
  const Message model =
      Message().Add(1, 4).Add(2, description).Add(202, Message().Add(1, net.Model()).Add(1, last));
  const auto network = ImportCoreml(CoremlWriter::BytesOf(model), {});
  ASSERT_TRUE(network.ok()) << network.status();
  const FloatTensor boxes{{3, 4}, {2, 2, 4, 4, 2, 2.5f, 4, 4, 9, 9, 2, 2}};
  const FloatTensor scores{{3, 2}, {0.5f, 0.25f, 0.75f, 0, 0.125f, 0.625f}};
  const auto results = RunFloat(*network, {boxes, scores});
  EXPECT_EQ(results[0].data, (std::vector<float>{2, 2.5f, 4, 4, 9, 9, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(results[1].data, (std::vector<float>{0.75f, 0, 0.125f, 0.625f, 0, 0}));
  frontend::GivenInputs given;
  given.values["least"] = {0.7};
  const auto fixed = ImportCoreml(CoremlWriter::BytesOf(model), given);
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  EXPECT_EQ(RunFloat(*fixed, {boxes, scores})[1].data, (std::vector<float>{0.75f, 0, 0, 0, 0, 0}));
}

TEST(Coreml, IntegersStayIntegersUntilTheFileAsksForFloats) {
  CoremlWriter net(true);
  net.Input(ArrayFeature("x", {4}, 131104));
  net.Layer(1025, {"x"}, {"place"});
  net.Constant("two", {1}, {2});
  net.Layer(880, {"place", "two"}, {"sum"});
  net.description().Add(10, ArrayFeature("sum", {1}, 131104)).Add(10, ArrayFeature("place", {1}, 65568));
  const auto network = net.Import();
  ASSERT_TRUE(network.ok()) << network.status();
  const auto& graph = network->graph;
  EXPECT_EQ(graph.values[graph.inputs[0]].type.element, quant::ElementType::kInt64);
  EXPECT_EQ(graph.values[graph.outputs[0].value].type.element, quant::ElementType::kInt64);
  EXPECT_EQ(graph.values[graph.outputs[1].value].type.element, quant::ElementType::kFloat32);
}

// The rank of a result in a file is checked if no other shape is given.
TEST(Coreml, RanksThatTheFileSaysAreChecked) {
  for (const int64_t rank : {2, 3}) {
    CoremlWriter net(true);
    net.Array("x", {2, 3});
    net.Output("y", {2, 3});
    Message layer =
        Message().Add(1, "l").Add(2, "x").Add(3, "y").Add(5, Message().Add(1, rank)).Add(665, Message());
    net.network().Add(1, layer);
    EXPECT_EQ(net.ImportLabel(), rank == 2 ? "" : "model_shape");
  }
}

TEST(Coreml, LoopsHaveABound) {
  const auto with = [](const Message& loop, const std::vector<std::string>& inputs = {}) {
    CoremlWriter net(true);
    net.Array("x", {1});
    net.Output("y", {1});
    net.Layer(600, {"x"}, {"y"});
    net.Layer(615, inputs, {}, loop);
    return std::string(net.ImportLabel());
  };
  CoremlWriter body(true), forever(true);
  body.Layer(880, {"y", "x"}, {"sum"});
  body.Layer(600, {"sum"}, {"y"});
  forever.Layer(825, {"y"}, {"goes"}, Message().Add(2, 9.0f));
  const Message of_body = Message().Add(4, body.Network());
  EXPECT_EQ(with(of_body + Message().Add(1, 256)), "");
  EXPECT_EQ(with(of_body + Message().Add(1, 257)), "model_too_large");
  // coremltools writes a network without layers for "no condition", and may leave its name empty.
  EXPECT_EQ(with(of_body + Message().Add(1, 3).Add(3, Message())), "");
  EXPECT_EQ(with(of_body + Message().Add(1, 3).Add(2, "").Add(3, Message())), "");
  EXPECT_EQ(with(of_body + Message().Add(1, int64_t{-1})), "model_too_large");
  EXPECT_EQ(with(of_body, {"x"}), "model_unsupported_operand");  // computed at run time
  EXPECT_EQ(with(of_body + Message().Add(2, "goes").Add(3, forever.Network())), "model_unsupported_operand");
  EXPECT_EQ(with(of_body + Message().Add(1, 3).Add(2, "nothing").Add(3, forever.Network())),
            "model_malformed");
  EXPECT_EQ(with(Message().Add(1, 3)), "model_malformed");
  CoremlWriter outside(true);
  outside.Layer(620, {}, {});
  EXPECT_EQ(outside.ImportLabel(), "model_malformed");
  // A loop in a loop in a loop, of 200 trips each.
  Message nested = of_body + Message().Add(1, 200);
  for (int i = 0; i < 2; ++i) {
    CoremlWriter outer(true);
    outer.Layer(615, {}, {}, nested);
    nested = Message().Add(1, 200).Add(4, outer.Network());
  }
  EXPECT_EQ(with(nested), "model_too_large");
}

TEST(Coreml, ABlobOfOneBranchIsThereAfterAConstantConditionOnly) {
  for (const bool is_computed : {false, true}) {
    CoremlWriter branch(true), net(true);
    branch.Layer(665, {"x"}, {"y"});
    net.Array("x", {1});
    net.Output("y", {1});
    net.Constant("one", {1}, {1});
    net.Layer(605, {is_computed ? "x" : "one"}, {}, Message().Add(1, branch.Network()));
    EXPECT_EQ(net.ImportLabel(), is_computed ? "model_malformed" : "");
  }
}

// Sums of gates are bounded to 50, which functions without bounds let through.
TEST(Coreml, GatesAreBounded) {
  CoremlWriter net;
  net.Array("x", {1});
  net.Layer(400, {"x"}, {"y", "h"},
            Message()
                .Add(1, 1)
                .Add(2, 1)
                .Add(10, Message().Add(10, Message()))
                .Add(30, Floats({1}))
                .Add(31, Floats({0})));
  net.Output("y", {1});
  const auto network = net.Import();
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(RunFloat(*network, {{{1, 1}, {49}}})[0].data[0], 49);
  EXPECT_EQ(RunFloat(*network, {{{1, 1}, {99}}})[0].data[0], 50);
}

// Roundings of products at one place would have an order.
TEST(Coreml, ProductsScatterToPlacesThatAreApart) {
  const auto with = [](const std::vector<float>& places, bool is_computed) {
    CoremlWriter net(true);
    net.Array("x", {3});
    net.Array("updates", {2});
    net.Array("given", {2});
    net.Output("y", {3});
    net.Constant("places", {2}, places);
    net.Layer(935, {"x", is_computed ? "given" : "places", "updates"}, {"y"}, Message().Add(2, 3));
    return net.ImportLabel();
  };
  EXPECT_EQ(with({0, 2}, false), "");
  EXPECT_EQ(with({2, 2}, false), "model_unsupported_attribute");
  EXPECT_EQ(with({2, -1}, false), "model_unsupported_attribute");
  EXPECT_EQ(with({0, 2}, true), "model_unsupported_attribute");
}

TEST(Coreml, RanksThatALayerDoesNotTakeAreRefused) {
  CoremlWriter scatter(true);
  scatter.Array("x", {3});
  scatter.Array("updates", {1});
  scatter.Output("y", {3});
  scatter.Constant("place", {}, {1});
  scatter.Layer(945, {"x", "place", "updates"}, {"y"}, Message().Add(1, 3));
  EXPECT_EQ(scatter.ImportLabel(), "model_unsupported_attribute");
  for (const Ints& shape : {Ints{3, 4, 4}, Ints{1, 3, 4, 4}, Ints{2, 1, 3, 4, 4}, Ints{1, 2, 3, 4, 4}}) {
    CoremlWriter crops(true);
    crops.Array("x", shape);
    crops.Array("boxes", {2, 4});
    crops.Output("y", {});
    crops.Layer(212, {"x", "boxes"}, {"y"}, Message().Add(1, Ints{2, 2}).Add(5, 1.0f));
    EXPECT_EQ(crops.ImportLabel(), shape.size() == 5 && shape[0] == 1 ? "" : "model_shape");
  }
}

// A sequence that a reshape leaves open is what fits, for the layers after it too.
TEST(Coreml, AReshapeMaySayTheSequence) {
  for (const int64_t steps : {-1, 2}) {
    for (const int64_t order : {0, 1}) {
      CoremlWriter net;
      net.Array("x", {3, 4, 4});
      net.Output("y", {});
      net.Layer(300, {"x"}, {"steps"}, Message().Add(1, Ints{steps, 6, 2, 2}).Add(2, order));
      net.Layer(310, {"steps"}, {"y"}, Message().Add(1, Ints{1, 0, 2, 3}));
      const auto network = net.Import();
      ASSERT_TRUE(network.ok()) << network.status();
      EXPECT_EQ(ShapeOfOutput(*network), (Shape{6, 1, 2, 2, 2}));
    }
  }
}

// A report lists all that is in the way, networks within layers too.
TEST(Coreml, AReportGoesOn) {
  CoremlWriter branch(true), net(true);
  net.Array("x", {2});
  net.Output("y", {2});
  branch.Layer(500, {"x"}, {"y"}, Message().Add(10, "Mine"), "inner");
  net.Layer(130, {"x"}, {"bent"}, Message(), "first");
  net.Layer(665, {"bent"}, {"up"}, Message(), "second");
  net.Constant("one", {1}, {1});
  net.Layer(605, {"one"}, {}, Message().Add(1, branch.Network()), "third");
  const auto report = CheckCoreml(net.Bytes(), {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->imports());
  std::vector<std::string> fates;
  for (const auto& layer : report->layers) {
    fates.push_back(layer.source + (layer.fate == frontend::LayerReport::kImported  ? " imported"
                                    : layer.fate == frontend::LayerReport::kRefused ? " refused"
                                                                                    : " unavailable"));
  }
  EXPECT_EQ(fates, (std::vector<std::string>{
                       "layer 0 'first' (activation) refused", "layer 1 'second' (ceil) unavailable",
                       "layer 2 'layer2' (loadConstantND) imported", "layer 3 'third' (branch) imported",
                       "layer 3.0 'inner' (custom) refused"}));
  EXPECT_EQ(report->weights, 1);
  EXPECT_EQ(report->weight_elements, 1);
}

}  // namespace
}  // namespace tally::coreml
