// Operations of opsets 2 to 15 and their attributes, as today's converters write them. The values are those
// of OpenVINO's own reference, or counted by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "frontends/openvino/testing/ir_writer.h"
#include "quant/graph/float_executor.h"

namespace tally::openvino {
namespace {

using Port = IrWriter::Port;
using Floats = std::vector<float>;
using quant::FloatTensor;

Floats UpTo(int count) {
  Floats floats;
  for (int i = 1; i <= count; ++i) floats.push_back(static_cast<float>(i));
  return floats;
}

struct Case {
  std::string type, version, data;
  std::vector<IrWriter::Dims> results;
};

// The first result of a layer of x and further operands.
Floats ValuesOf(
    const Case& layer, const FloatTensor& x,
    const std::function<std::vector<Port>(IrWriter&)>& others = [](IrWriter&) {
      return std::vector<Port>();
    }) {
  IrWriter ir;
  std::vector<Port> operands = {ir.Parameter("x", x.shape)};
  for (const Port& other : others(ir)) operands.push_back(other);
  ir.Result(ir.Layer(layer.type, "y", operands, layer.results, layer.data, layer.version)[0]);
  const auto graph = ir.Import();
  EXPECT_TRUE(graph.ok()) << layer.type << ": " << graph.status();
  if (!graph.ok()) return {};
  const std::vector<FloatTensor> inputs = {x};
  const quant::Tensor y = quant::RunGraph(*graph, inputs)->at(0);
  return std::visit([](const auto& tensor) { return Floats(tensor.data.begin(), tensor.data.end()); }, y);
}

std::string LabelOf(const Case& layer, const IrWriter::Dims& x,
                    const std::function<std::vector<Port>(IrWriter&)>& others) {
  IrWriter ir;
  std::vector<Port> operands = {ir.Parameter("x", x)};
  for (const Port& other : others(ir)) operands.push_back(other);
  ir.Result(ir.Layer(layer.type, "y", operands, layer.results, layer.data, layer.version)[0]);
  return ir.ImportLabel();
}

void ExpectNear(const Floats& got, const Floats& wanted, float error = 1e-5f) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], error) << i;
}

Floats Scattered(const std::string& data) {
  return ValuesOf({"ScatterElementsUpdate", "opset12", data, {{3, 4}}}, {{3, 4}, UpTo(12)}, [](IrWriter& ir) {
    return std::vector<Port>{ir.Integers("at", {2, 3}, {1, 1, 1, 0, 3, 3}),
                             ir.Constant("updates", {2, 3}, {10, 20, 4, 30, 40, 2}),
                             ir.Integers("axis", {}, {1})};
  });
}

// Row 0 has the updates 10, 20 and 4 at 2, row 1 has 30 at 5, and 40 and 2 at 8.
TEST(OpenVinoOpsets, UpdatesAreReduced) {
  const auto with = [](float a, float b, float c) { return Floats{1, a, 3, 4, b, 6, 7, c, 9, 10, 11, 12}; };
  EXPECT_EQ(Scattered(""), with(4, 30, 2));
  EXPECT_EQ(Scattered("reduction=\"none\""), with(4, 30, 2));
  EXPECT_EQ(Scattered("reduction=\"sum\""), with(36, 35, 50));
  EXPECT_EQ(Scattered("reduction=\"max\""), with(20, 30, 40));
  EXPECT_EQ(Scattered("reduction=\"min\""), with(2, 5, 2));
  ExpectNear(Scattered("reduction=\"mean\""), with(9, 17.5f, 50 / 3.0f));
  EXPECT_EQ(Scattered("reduction=\"sum\" use_init_val=\"false\""), with(34, 30, 42));
  EXPECT_EQ(Scattered("reduction=\"max\" use_init_val=\"false\""), with(20, 30, 40));
  EXPECT_EQ(Scattered("reduction=\"min\" use_init_val=\"false\""), with(4, 30, 2));
  ExpectNear(Scattered("reduction=\"mean\" use_init_val=\"false\""), with(34 / 3.0f, 30, 21));
  const auto tuples = [](const std::string& data) {
    return ValuesOf({"ScatterNDUpdate", "opset15", data, {{3, 4}}}, {{3, 4}, UpTo(12)}, [](IrWriter& ir) {
      return std::vector<Port>{ir.Integers("at", {2, 2}, {1, 2, 1, 2}), ir.Constant("updates", {2}, {5, -1})};
    });
  };
  EXPECT_EQ(tuples("reduction=\"sum\""), (Floats{1, 2, 3, 4, 5, 6, 11, 8, 9, 10, 11, 12}));
  EXPECT_EQ(tuples(""), (Floats{1, 2, 3, 4, 5, 6, -1, 8, 9, 10, 11, 12}));
}

TEST(OpenVinoOpsets, RegionsAreTheLargestSample) {
  const FloatTensor image = {
      {1, 1, 8, 8},
      {0, 1, 8, 5, 5, 2, 0, 7, 7,  10, 4, 5, 9, 0, 0, 5, 7, 0, 4,  0, 4, 7, 6, 10, 9, 5, 1, 7, 4,  7, 9, 10,
       4, 2, 3, 4, 4, 3, 2, 9, 10, 1,  2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5,  6, 7, 8, 9, 10, 1, 2, 3}};
  const auto align = [&](const std::string& mode) {
    return ValuesOf(
        {"ROIAlign",
         "opset3",
         "pooled_h=\"1\" pooled_w=\"1\" sampling_ratio=\"2\" spatial_scale=\"1\" mode=\"" + mode + "\"",
         {{1, 1, 1, 1}}},
        image, [](IrWriter& ir) {
          return std::vector<Port>{ir.Constant("boxes", {1, 4}, {2, 2, 4, 4}), ir.Integers("of", {1}, {0})};
        });
  };
  // Samples at 2.5 and 3.5 of both axes: the means of 2 x 2 pixels.
  const Floats samples = {(4 + 0 + 1 + 7) / 4.0f, (0 + 4 + 7 + 4) / 4.0f, (1 + 7 + 3 + 4) / 4.0f,
                          (7 + 4 + 4 + 4) / 4.0f};
  ExpectNear(align("max"), {samples[3]});
  ExpectNear(align("avg"), {(samples[0] + samples[1] + samples[2] + samples[3]) / 4});
}

// One point of a box is its middle.
TEST(OpenVinoOpsets, OnePointOfARegionIsItsMiddle) {
  FloatTensor image = {{1, 1, 6, 6}, {}};
  for (int i = 0; i < 36; ++i) image.data.push_back(static_cast<float>(i) / 10);
  const auto boxes = [](IrWriter& ir) {
    return std::vector<Port>{ir.Constant("boxes", {1, 5}, {0, 0.2f, 0.2f, 0.4f, 0.4f})};
  };
  const auto pool = [&](int64_t size) {
    return ValuesOf({"ROIPooling",
                     "opset2",
                     "pooled_h=\"" + std::to_string(size) + "\" pooled_w=\"" + std::to_string(size) +
                         "\" spatial_scale=\"1\" method=\"bilinear\"",
                     {{1, 1, size, size}}},
                    image, boxes);
  };
  ExpectNear(pool(1), {1.05f});
  ExpectNear(pool(2), {0.7f, 0.8f, 1.3f, 1.4f});
}

Floats FirstSides(const std::string& data) {
  IrWriter ir;
  const std::vector<Port> sizes = {ir.Integers("map", {2}, {1, 1}), ir.Integers("image", {2}, {10, 10})};
  ir.Result(ir.Layer("PriorBox", "y", sizes, {{2, 0}}, "offset=\"0\" step=\"0\" " + data, "opset8")[0]);
  const auto graph = ir.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return {};
  const auto y = std::get<FloatTensor>(quant::RunGraph(*graph, {})->at(0));
  Floats widths;
  for (size_t i = 0; i + 3 < y.data.size() / 2; i += 4) widths.push_back((y.data[i + 2] - y.data[i]) * 10);
  return widths;
}

TEST(OpenVinoOpsets, PriorsComeInTheOrderThatTheLayerSays) {
  const std::string sizes = "min_size=\"2\" max_size=\"5\" aspect_ratio=\"1.5\"";
  const float mean = std::sqrt(10.0f), wide = 2 * std::sqrt(1.5f);
  ExpectNear(FirstSides(sizes), {2, mean, wide});
  ExpectNear(FirstSides(sizes + " min_max_aspect_ratios_order=\"true\""), {2, mean, wide});
  ExpectNear(FirstSides(sizes + " min_max_aspect_ratios_order=\"false\""), {2, wide, mean});
  ExpectNear(FirstSides("min_size=\"2,4\" aspect_ratio=\"1.5\" scale_all_sizes=\"false\""), {2, 4, wide});
}

Floats Pooled(const std::string& more) {
  return ValuesOf({"AvgPool",
                   "opset14",
                   "strides=\"2,2\" kernel=\"2,2\" pads_begin=\"1,1\" pads_end=\"1,1\" " + more,
                   {{1, 1, 0, 0}}},
                  {{1, 1, 3, 3}, UpTo(9)});
}

TEST(OpenVinoOpsets, WindowsOfPaddingAloneAreZero) {
  EXPECT_EQ(Pooled("exclude-pad=\"true\" rounding_type=\"ceil\""), (Floats{1, 2.5f, 0, 5.5f, 7, 0, 0, 0, 0}));
  EXPECT_EQ(Pooled("exclude-pad=\"true\" rounding_type=\"ceil_torch\""), (Floats{1, 2.5f, 5.5f, 7}));
  EXPECT_EQ(Pooled("exclude-pad=\"false\" rounding_type=\"ceil\""),
            (Floats{0.25f, 1.25f, 0, 2.75f, 7, 0, 0, 0, 0}));
}

TEST(OpenVinoOpsets, InterpolateTakesSizesOrScales) {
  const auto resized = [](const std::string& from, const std::function<Port(IrWriter&)>& target) {
    return ValuesOf(
        {"Interpolate",
         "opset11",
         "mode=\"linear_onnx\" coordinate_transformation_mode=\"half_pixel\" nearest_mode=\"floor\" "
         "antialias=\"false\" "
         "pads_begin=\"0\" pads_end=\"0\" cube_coeff=\"-0.75\" shape_calculation_mode=\"" +
             from + "\"",
         {{1, 1, 2, 4}}},
        {{1, 1, 2, 2}, UpTo(4)}, [&](IrWriter& ir) {
          return std::vector<Port>{target(ir), ir.Integers("axes", {2}, {2, 3})};
        });
  };
  const Floats wanted = {1, 1.25f, 1.75f, 2, 3, 3.25f, 3.75f, 4};
  EXPECT_EQ(resized("sizes", [](IrWriter& ir) { return ir.Integers("sizes", {2}, {2, 4}); }), wanted);
  EXPECT_EQ(resized("scales", [](IrWriter& ir) { return ir.Constant("scales", {2}, {1, 2}); }), wanted);
}

TEST(OpenVinoOpsets, SlicesAndRolls) {
  const FloatTensor x = {{3, 4}, UpTo(12)};
  const auto lists = [](std::vector<int64_t> start, std::vector<int64_t> stop, std::vector<int64_t> step,
                        std::vector<int64_t> axes) {
    return [=](IrWriter& ir) {
      const auto size = static_cast<int64_t>(start.size());
      return std::vector<Port>{ir.Integers("start", {size}, start), ir.Integers("stop", {size}, stop),
                               ir.Integers("step", {size}, step), ir.Integers("axes", {size}, axes)};
    };
  };
  EXPECT_EQ(ValuesOf({"Slice", "opset8", "", {{3, 2}}}, x, lists({1}, {3}, {1}, {-1})),
            (Floats{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(ValuesOf({"Slice", "opset8", "", {{2, 4}}}, x, lists({-1}, {-100}, {-2}, {0})),
            (Floats{9, 10, 11, 12, 1, 2, 3, 4}));
  EXPECT_EQ(LabelOf({"Slice", "opset8", "", {{3, 4}}}, {3, 4}, lists({1}, {3}, {0}, {0})), "model_malformed");
  EXPECT_EQ(LabelOf({"Slice", "opset8", "", {{3, 4}}}, {3, 4}, lists({3}, {1}, {1}, {0})), "model_shape");
  EXPECT_EQ(LabelOf({"Slice", "opset8", "", {{1, 4}}}, {3, 4}, lists({0, 1}, {1, 2}, {1, 1}, {0, -2})),
            "model_malformed");  // axis 0 twice
  const auto roll = [](std::vector<int64_t> shifts, std::vector<int64_t> axes) {
    return [=](IrWriter& ir) {
      return std::vector<Port>{ir.Integers("shift", {std::ssize(shifts)}, shifts),
                               ir.Integers("axes", {std::ssize(axes)}, axes)};
    };
  };
  EXPECT_EQ(ValuesOf({"Roll", "opset7", "", {{3, 4}}}, x, roll({1}, {1})),
            (Floats{4, 1, 2, 3, 8, 5, 6, 7, 12, 9, 10, 11}));
  EXPECT_EQ(ValuesOf({"Roll", "opset7", "", {{3, 4}}}, x, roll({-1, 2}, {0, -1})),
            (Floats{7, 8, 5, 6, 11, 12, 9, 10, 3, 4, 1, 2}));
}

TEST(OpenVinoOpsets, BlocksAndBatches) {
  const auto lists = [](std::vector<int64_t> size, std::vector<int64_t> begin, std::vector<int64_t> end) {
    return [=](IrWriter& ir) {
      return std::vector<Port>{ir.Integers("size", {4}, size), ir.Integers("begin", {4}, begin),
                               ir.Integers("end", {4}, end)};
    };
  };
  const FloatTensor image = {{1, 1, 2, 2}, UpTo(4)};
  EXPECT_EQ(ValuesOf({"SpaceToBatch", "opset2", "", {{4, 1, 1, 1}}}, image,
                     lists({1, 1, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0})),
            UpTo(4));
  EXPECT_EQ(ValuesOf({"SpaceToBatch", "opset2", "", {{2, 1, 2, 2}}}, image,
                     lists({1, 1, 1, 2}, {0, 0, 0, 1}, {0, 0, 0, 1})),
            (Floats{0, 2, 0, 4, 1, 0, 3, 0}));
  const FloatTensor batches = {{4, 1, 1, 2}, UpTo(8)};
  EXPECT_EQ(ValuesOf({"BatchToSpace", "opset2", "", {{1, 1, 2, 4}}}, batches,
                     lists({1, 1, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0})),
            (Floats{1, 3, 2, 4, 5, 7, 6, 8}));
  EXPECT_EQ(ValuesOf({"BatchToSpace", "opset2", "", {{1, 1, 2, 2}}}, batches,
                     lists({1, 1, 2, 2}, {0, 0, 0, 1}, {0, 0, 0, 1})),
            (Floats{3, 2, 7, 6}));
}

TEST(OpenVinoOpsets, BucketsAndWhatIsNoNumber) {
  const auto bounds = [](IrWriter& ir) { return std::vector<Port>{ir.Constant("bounds", {3}, {1, 3, 5})}; };
  const FloatTensor x = {{5}, {0, 1, 3, 4, 9}};
  EXPECT_EQ(
      ValuesOf({"Bucketize", "opset3", "output_type=\"i64\" with_right_bound=\"true\"", {{5}}}, x, bounds),
      (Floats{0, 0, 1, 2, 3}));
  EXPECT_EQ(
      ValuesOf({"Bucketize", "opset3", "output_type=\"i64\" with_right_bound=\"false\"", {{5}}}, x, bounds),
      (Floats{0, 1, 2, 2, 3}));
  EXPECT_EQ(ValuesOf({"IsNaN", "opset10", "", {{5}}}, x), Floats(5, 0));
  EXPECT_EQ(ValuesOf({"IsFinite", "opset10", "", {{5}}}, x), Floats(5, 1));
  ExpectNear(ValuesOf({"SoftSign", "opset9", "", {{5}}}, x), {0, 0.5f, 0.75f, 0.8f, 0.9f});
}

TEST(OpenVinoOpsets, GroupsAreNormalized) {
  const Floats y = ValuesOf(
      {"GroupNormalization", "opset12", "num_groups=\"1\" epsilon=\"0\"", {{1, 2, 2}}},
      {{1, 2, 2}, {-3, -1, 1, 3}}, [](IrWriter& ir) {
        return std::vector<Port>{ir.Constant("scale", {2}, {1, 2}), ir.Constant("bias", {2}, {0, 10})};
      });
  const float root = std::sqrt(5.0f);
  ExpectNear(y, {-3 / root, -1 / root, 10 + 2 / root, 10 + 6 / root});
}

TEST(OpenVinoOpsets, AttentionSeesWhatItsMaskSays) {
  // Queries of 0 weigh all keys that they see alike.
  const auto attend = [](const std::string& data, const std::function<std::vector<Port>(IrWriter&)>& more) {
    return ValuesOf({"ScaledDotProductAttention", "opset13", data, {{1, 2, 1}}}, {{1, 2, 1}, {0, 0}},
                    [&](IrWriter& ir) {
                      std::vector<Port> operands = {ir.Constant("k", {1, 3, 1}, {1, 2, 3}),
                                                    ir.Constant("v", {1, 3, 1}, {3, 6, 12})};
                      for (const Port& port : more(ir)) operands.push_back(port);
                      return operands;
                    });
  };
  ExpectNear(attend("causal=\"false\"", [](IrWriter&) { return std::vector<Port>(); }), {7, 7});
  ExpectNear(attend("causal=\"true\"", [](IrWriter&) { return std::vector<Port>(); }), {3, 4.5f});
  ExpectNear(attend("causal=\"false\"",
                    [](IrWriter& ir) {
                      return std::vector<Port>{ir.Codes("mask", {2, 3}, "boolean", {1, 0, 1, 0, 1, 1})};
                    }),
             {7.5f, 9});
  ExpectNear(attend("causal=\"false\"",
                    [](IrWriter& ir) {
                      return std::vector<Port>{ir.Constant("mask", {1, 3}, {0, 0, -1e9f})};
                    }),
             {4.5f, 4.5f});
}

TEST(OpenVinoOpsets, GridsChoosePlaces) {
  const auto sample = [](const std::string& mode) {
    return ValuesOf({"GridSample",
                     "opset9",
                     "align_corners=\"true\" padding_mode=\"border\" mode=\"" + mode + "\"",
                     {{1, 1, 1, 2}}},
                    {{1, 1, 2, 2}, UpTo(4)}, [](IrWriter& ir) {
                      return std::vector<Port>{ir.Constant("grid", {1, 1, 2, 2}, {0, 0, 1, -1})};
                    });
  };
  ExpectNear(sample("bilinear"), {2.5f, 2});
  ExpectNear(sample("nearest"), {1, 2});
}

// h = f(clip(x w + h r + b)), where only f and clip differ.
TEST(OpenVinoOpsets, CellsHaveFunctionsAndBounds) {
  const auto cell = [](const std::string& data) {
    return ValuesOf(
        {"RNNCell", "opset3", "hidden_size=\"2\" " + data, {{1, 2}}}, {{1, 1}, {1}}, [](IrWriter& ir) {
          return std::vector<Port>{ir.Constant("h", {1, 2}, {0.5f, 0}), ir.Constant("w", {2, 1}, {1, -2}),
                                   ir.Constant("r", {2, 2}, {1, 0, 0, 1}),
                                   ir.Constant("b", {2}, {0.25f, 0.5f})};
        });
  };
  ExpectNear(cell(""), {std::tanh(1.75f), std::tanh(-1.5f)});
  ExpectNear(cell("clip=\"0.5\""), {std::tanh(0.5f), std::tanh(-0.5f)});
  ExpectNear(cell("clip=\"1\" activations=\"relu\""), {1, 0});
  const auto both = [](const std::string& data) {
    return ValuesOf({"RNNSequence",
                     "opset5",
                     "hidden_size=\"1\" direction=\"bidirectional\" " + data,
                     {{1, 2, 1, 1}, {1, 2, 1}}},
                    {{1, 1, 1}, {1}}, [](IrWriter& ir) {
                      return std::vector<Port>{
                          ir.Constant("h", {1, 2, 1}, {0, 0}), ir.Integers("lengths", {1}, {1}),
                          ir.Constant("w", {2, 1, 1}, {-1, -2}), ir.Constant("r", {2, 1, 1}, {1, 1}),
                          ir.Constant("b", {2, 1}, {0, 0})};
                    });
  };
  ExpectNear(both("activations=\"tanh,relu\""), {std::tanh(-1.0f), 0});
  ExpectNear(both("activations=\"sigmoid,tanh\" clip=\"1.5\""), {1 / (1 + std::exp(1.0f)), std::tanh(-1.5f)});
}

struct NmsCase {
  std::string data;
  Floats rows, numbers, counts;
};

// The boxes and scores of OpenVINO's own test, for `batch` images: overlaps of box 0 with 1 and 2 are 9/11.
// In the second image all scores are half of those.
void ExpectMatrixNms(int64_t batch, int64_t most, const NmsCase& wanted) {
  const Floats one = {0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
                      0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,   1, 101};
  const Floats of_one = {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f, 0.95f, 0.75f, 0.6f, 0.80f, 0.5f, 0.3f};
  Floats boxes, scores;
  for (int64_t i = 0; i < batch; ++i) {
    boxes.insert(boxes.end(), one.begin(), one.end());
    for (const float score : of_one) scores.push_back(score / static_cast<float>(i + 1));
  }
  IrWriter ir;
  const Port x = ir.Parameter("x", {batch, 6, 4});
  const auto results = ir.Layer("MatrixNms", "y", {x, ir.Constant("scores", {batch, 2, 6}, scores)},
                                {{most, 6}, {most, 1}, {batch}}, wanted.data, "opset8");
  for (const Port& result : results) ir.Result(result);
  const auto graph = ir.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::vector<FloatTensor> inputs = {{{batch, 6, 4}, boxes}};
  const auto y = *quant::RunGraph(*graph, inputs);
  const Floats* const expected[] = {&wanted.rows, &wanted.numbers, &wanted.counts};
  for (size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    ExpectNear(std::visit([](const auto& t) { return Floats(t.data.begin(), t.data.end()); }, y[i]),
               *expected[i]);
  }
}

TEST(OpenVinoOpsets, ScoresOfBoxesDecayWithTheirOverlap) {
  const float linear = 0.75f * 2 / 11, gaussian = 0.75f * std::exp(-2.0f * 81 / 121);
  const auto rows = [](float last) {
    return Floats{1, 0.95f, 0, 0, 1, 1, 1, 0.8f, 0, 10, 1, 11, 1, last, 0, 0.1f, 1, 1.1f};
  };
  const std::string of_three = "nms_top_k=\"3\" background_class=\"0\" ";
  ExpectMatrixNms(1, 3, {of_three, rows(linear), {0, 3, 1}, {3}});
  ExpectMatrixNms(1, 3, {of_three + "decay_function=\"gaussian\"", rows(gaussian), {0, 3, 1}, {3}});
  const Floats first = {1, 0.95f, 0, 0, 1, 1};
  ExpectMatrixNms(1, 1, {of_three + "keep_top_k=\"1\"", first, {0}, {1}});
  Floats two(first);
  two.insert(two.end(), {1, 0.8f, 0, 10, 1, 11});
  two.insert(two.end(), 6, -1);
  ExpectMatrixNms(1, 3, {of_three + "post_threshold=\"0.2\"", two, {0, 3, -1}, {2}});
  ExpectMatrixNms(1, 3, {of_three + "score_threshold=\"0.78\"", two, {0, 3, -1}, {2}});
}

TEST(OpenVinoOpsets, DecayedBoxesAreSortedByScoreOrClass) {
  const Floats a = {0, 0.95f, 0, 10, 1, 11}, b = {1, 0.95f, 0, 0, 1, 1}, c = {0, 0.9f, 0, 0, 1, 1},
               d = {1, 0.8f, 0, 10, 1, 11}, none(6, -1);
  const auto joined = [](const std::vector<Floats>& rows) {
    Floats all;
    for (const Floats& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
  };
  const std::string of_two = "nms_top_k=\"2\" ";
  ExpectMatrixNms(1, 4, {of_two + "sort_result_type=\"score\"", joined({a, b, c, d}), {3, 0, 0, 3}, {4}});
  ExpectMatrixNms(1, 4, {of_two + "sort_result_type=\"classid\"", joined({a, c, b, d}), {3, 0, 0, 3}, {4}});
  const Floats half = {1, 0.475f, 0, 0, 1, 1};
  ExpectMatrixNms(2, 4,
                  {of_two + "background_class=\"0\" post_threshold=\"0.45\"",
                   joined({b, d, half, none}),
                   {0, 3, 6, -1},
                   {2, 1}});
  EXPECT_EQ(LabelOf({"MatrixNms", "opset8", "", {{1 << 20, 6}}}, {1, 1 << 20, 4},
                    [](IrWriter& ir) {
                      return std::vector<Port>{ir.Parameter("scores", {1, 1, 1 << 20})};
                    }),
            "model_shape");  // 2^40 pairs
  EXPECT_EQ(LabelOf({"MatrixNms", "opset8", "sort_result_across_batch=\"true\"", {{12, 6}}}, {1, 6, 4},
                    [](IrWriter& ir) {
                      return std::vector<Port>{ir.Constant("scores", {1, 2, 6}, Floats(12, 1))};
                    }),
            "model_unsupported_attribute");
}

}  // namespace
}  // namespace tally::openvino
