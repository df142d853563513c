// Lowered modules against the float graph they came from: family recurrent.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string_view>

#include "base/error.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

constexpr Direction kBoth = Direction::kBidirectional;

struct Size {
  int64_t steps = 8, batch = 2, inputs = 12, units = 16, directions = 1;
};

// W, R and bias as PyTorch draws them, within 1 / sqrt(units), but for a `gain`.
std::vector<FloatTensor> Weights(int64_t gates, const Size& size, double gain = 1) {
  const double most = gain / std::sqrt(static_cast<double>(size.units));
  const int64_t rows = gates * size.units;
  return {Random({size.directions, rows, size.inputs}, 1, -most, most),
          Random({size.directions, rows, size.units}, 2, -most, most),
          Random({size.directions, rows}, 3, -most, most)};
}

// x, weights and then `further` weights; and inputs with the initial states, where `num_states` says so.
Graph Layer(const Op& op, const Size& size, std::vector<FloatTensor> weights, int num_states = 0) {
  GraphBuilder b("layer");
  std::vector<ValueId> operands = {*b.AddInput("x", {size.steps, size.batch, size.inputs})};
  for (const FloatTensor& tensor : weights) operands.push_back(*b.AddConstant("w", tensor));
  for (int i = 0; i < num_states; ++i) {
    operands.push_back(*b.AddInput("s", {size.directions, size.batch, size.units}));
  }
  const auto y = b.AddNode(op, operands, "y", "the layer");
  EXPECT_TRUE(y.ok()) << y.status();
  b.AddOutput(*y);
  return *std::move(b).Build();
}

TEST(LowerRecurrent, ShortSequences) {
  const Size size, both = {.directions = 2};
  for (const Direction direction : {Direction::kForward, Direction::kReverse, kBoth}) {
    const Size& s = direction == kBoth ? both : size;
    EXPECT_GT(Sqnr(Layer(Rnn{{direction}}, s, Weights(1, s))), kGood);
    EXPECT_GT(Sqnr(Layer(Gru{{direction}}, s, Weights(3, s))), kGood);
    EXPECT_GT(Sqnr(Layer(Lstm{{direction}}, s, Weights(4, s))), kGood);
  }
}

TEST(LowerRecurrent, FinalStatesAndCells) {
  const Size size;
  const Sequences state = {.result = SequenceResult::kFinalState},
                  cell = {.result = SequenceResult::kFinalCell};
  EXPECT_GT(Sqnr(Layer(Rnn{state}, size, Weights(1, size))), kGood);
  EXPECT_GT(Sqnr(Layer(Gru{state}, size, Weights(3, size))), kGood);
  EXPECT_GT(Sqnr(Layer(Lstm{state}, size, Weights(4, size))), kGood);
  EXPECT_GT(Sqnr(Layer(Lstm{cell}, size, Weights(4, size))), kGood);
}

TEST(LowerRecurrent, ResetAfterAndPeepholes) {
  const Size both = {.directions = 2};
  std::vector<FloatTensor> gru = Weights(3, both), lstm = Weights(4, both, 2);
  gru.push_back(Random({2, 16}, 4, -1, 1));
  lstm.push_back(Random({2, 48}, 5, -1, 1));
  EXPECT_GT(Sqnr(Layer(Gru{.sequences = {kBoth}, .reset_after = true}, both, gru)), kGood);
  EXPECT_GT(Sqnr(Layer(Lstm{.sequences = {kBoth}, .peephole = true}, both, lstm)), kGood);
}

TEST(LowerRecurrent, LengthsLeaveZerosBehind) {
  const Size size;
  for (const SequenceResult result : {SequenceResult::kStates, SequenceResult::kFinalState}) {
    const Sequences sequences = {Direction::kReverse, {3, 8}, result};
    EXPECT_GT(Sqnr(Layer(Lstm{sequences}, size, Weights(4, size))), kGood);
    EXPECT_GT(Sqnr(Layer(Gru{sequences}, size, Weights(3, size))), kGood);
  }
}

// They reach to 3, so states have 13 bits below the point.
TEST(LowerRecurrent, InitialStates) {
  const Size size;
  EXPECT_GT(Sqnr(Layer(Rnn{}, size, Weights(1, size), 1)), kGood);
  EXPECT_GT(Sqnr(Layer(Gru{}, size, Weights(3, size), 1)), kGood);
  EXPECT_GT(Sqnr(Layer(Lstm{}, size, Weights(4, size), 2)), kGood);
  std::vector<FloatTensor> with_constants = Weights(4, size);
  with_constants.push_back(Random({1, 2, 16}, 6, -1, 1));
  with_constants.push_back(Random({1, 2, 16}, 7, -5, 5));
  EXPECT_GT(Sqnr(Layer(Lstm{}, size, with_constants)), kGood);
}

TEST(LowerRecurrent, OtherActivations) {
  const Size size;
  const Lstm hard = {.gates = Activation::kHardSigmoid, .input = Activation::kSigmoid};
  EXPECT_GT(Sqnr(Layer(hard, size, Weights(4, size))), kGood);
  EXPECT_GT(Sqnr(Layer(Gru{.state = Activation::kHardSigmoid}, size, Weights(3, size))), kGood);
  for (const double gain : {0.01, 1.0, 3.0}) {
    EXPECT_GT(Sqnr(Layer(Rnn{.state = Activation::kRelu}, size, Weights(1, size, gain))), kGood) << gain;
    const Rnn last = {{.result = SequenceResult::kFinalState}, Activation::kRelu};
    EXPECT_GT(Sqnr(Layer(last, size, Weights(1, size, gain))), kGood) << gain;
  }
}

// Weights that saturate gates, and an x of 16 bits.
TEST(LowerRecurrent, LargeWeightsAndWideInputs) {
  const Size size;
  const LoweredSamples wide = {.options = {{{"x", ChooseAffine(-2, 3, kWideBits)}}}};
  EXPECT_GT(Sqnr(Layer(Lstm{}, size, Weights(4, size, 4)), wide), 25);
  EXPECT_GT(Sqnr(Layer(Lstm{}, size, Weights(4, size)), wide), 40);
}

// The same layers, over longer sequences.
TEST(LowerRecurrent, FiftySteps) {
  const Size size = {.steps = 50, .units = 32};
  const auto said = [](std::string_view name, double sqnr) {
    std::cout << name << " over 50 steps: " << sqnr << " dB\n";
    return sqnr;
  };
  EXPECT_GT(said("rnn", Sqnr(Layer(Rnn{}, size, Weights(1, size)))), kGood);
  EXPECT_GT(said("gru", Sqnr(Layer(Gru{}, size, Weights(3, size)))), kGood);
  EXPECT_GT(said("lstm", Sqnr(Layer(Lstm{}, size, Weights(4, size)))), kGood);
}

// Cells that count: c grows by a half at each step, to 25, far beyond the 8 that 12 bits below the point
// would hold.
TEST(LowerRecurrent, CellsHaveTheRangeThatCalibrationSaw) {
  const FloatTensor w = {{1, 4, 1}, {0, 0, 0, 0}}, r = w, bias = {{1, 4}, {20, 20, 20, 0.5493061f}};
  const Graph graph = Layer(Lstm{{.result = SequenceResult::kFinalCell}}, {50, 1, 1, 1}, {w, r, bias});
  const OutputAccuracy cell = MeasureLowered(graph);
  EXPECT_EQ(cell.step, 0x1p-9);  // twice 25 is within 64
  EXPECT_LT(cell.error.largest(), 50 * 0x1p-10);
}

std::vector<std::string_view> CodeOf(const Module& module) {
  std::vector<std::string_view> names;
  for (const Instruction& instruction : module.entry().body) {
    if (instruction.op != Opcode::kConstant) names.push_back(InfoOf(instruction.op).name);
  }
  return names;
}

TEST(LowerRecurrent, ResultsOfOneLayerAreOfOneInstruction) {
  GraphBuilder b("stateful");
  const ValueId x = *b.AddInput("x", {4, 1, 3});
  std::vector<ValueId> operands = {x};
  for (const FloatTensor& tensor : Weights(4, {.inputs = 3, .units = 2})) {
    operands.push_back(*b.AddConstant("w", tensor));
  }
  for (const SequenceResult result :
       {SequenceResult::kFinalCell, SequenceResult::kStates, SequenceResult::kFinalState}) {
    b.AddOutput(*b.AddNode(Lstm{{.result = result}}, operands, "y", "lstm"));
  }
  b.AddOutput(*b.AddNode(Lstm{{Direction::kReverse}}, operands, "y", "another"));
  const Graph graph = *std::move(b).Build();
  const auto sample = [](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{Random({4, 1, 3}, static_cast<uint32_t>(i))};
  };
  Calibration calibration = *Calibrate(graph, 4, sample);
  const auto module = LowerToModule(graph, calibration, {});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(CodeOf(*module), (std::vector<std::string_view>{"lstm", "lstm"}));

  // A file that says something else of one of them asks for an instruction of its own.
  calibration.values.at(InnerName(graph, graph.outputs[1].value)).max = 100;
  EXPECT_EQ(CodeOf(*LowerToModule(graph, calibration, {})).size(), 3u);
  calibration.values.erase(InnerName(graph, graph.outputs[1].value));
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, calibration, {}).status()), "calibration_missing");
}

TEST(LowerRecurrent, LowerGain_WeightsBeyondGates) {
  const FloatTensor huge = {{1, 1, 1}, {1e38f}}, bias = {{1, 1}, {0}};
  const Graph graph = Layer(Rnn{}, {1, 1, 1, 1}, {huge, huge, bias});
  const Calibration calibration{1, {{"x", {-1e30f, 1e30f, 1}}, {"y", {-1, 1, 1}}, {"y\tstates", {-1, 1, 1}}}};
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, calibration, {}).status()), "lower_gain");
}

}  // namespace
}  // namespace tally::quant
