// Which channels have scales of their own.
#include "quant/equalize/channel_groups.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

FloatTensor Ones(const Shape& shape) {
  return {shape, std::vector<float>(static_cast<size_t>(NumElements(shape)), 1)};
}

class Network {
 public:
  GraphBuilder& builder() { return b_; }
  ValueId image() { return image_; }
  ValueId Constant(const Shape& shape) { return *b_.AddConstant("c", Ones(shape)); }
  ValueId Add(const Op& op, const std::vector<ValueId>& operands, const std::string& name = "v") {
    return *b_.AddNode(op, operands, name, name);
  }
  ValueId Pointwise(ValueId x, const std::string& name = "conv") {
    return Add(Conv{{1, 1}, {1, 1}, {}, 1}, {x, Constant({4, 4, 1, 1}), Constant({4})}, name);
  }
  // The names of the groups of a network with this result.
  std::vector<std::string> Groups(ValueId result) {
    b_.AddOutput(result);
    graph_ = *std::move(b_).Build();
    groups_ = FindChannelGroups(graph_);
    std::vector<std::string> names;
    for (const ChannelGroup& group : groups_.list) names.push_back(group.name);
    return names;
  }
  const ChannelGroups& groups() const { return groups_; }

 private:
  GraphBuilder b_{"network"};
  ValueId image_ = *b_.AddInput("x", {1, 4, 6, 6});
  Graph graph_;
  ChannelGroups groups_;
};

using Names = std::vector<std::string>;

// The groups of conv1 -> `between` -> conv2.
Names GroupsThrough(const std::function<ValueId(Network&, ValueId)>& between) {
  Network n;
  const ValueId made = n.Pointwise(n.image(), "conv1");
  return n.Groups(n.Pointwise(between(n, made), "conv2"));
}

Names GroupsThrough(const Op& op) {
  return GroupsThrough([&](Network& n, ValueId x) { return n.Add(op, {x}); });
}

TEST(ChannelGroups, AreWhatALayerMakesAndLayersRead) {
  Network n;
  const ValueId x = n.Add(Relu{}, {n.Pointwise(n.image(), "conv1")});
  EXPECT_EQ(n.Groups(n.Pointwise(x, "conv2")), Names{"conv1"});
  const ChannelGroups& groups = n.groups();
  EXPECT_EQ(groups.list[0].channels, 4);
  ASSERT_EQ(groups.list[0].reads.size(), 1u);
  EXPECT_EQ(groups.list[0].reads[0].value, x);
  ASSERT_EQ(groups.constants.size(), 3u);  // weights and bias of conv1, weights of conv2
  EXPECT_EQ(groups.constants[0].out, 0u);
  EXPECT_EQ(groups.constants[1].out, 0u);
  EXPECT_EQ(groups.constants[2].in, 0u);
  EXPECT_FALSE(groups.constants[2].out.has_value()) << "an output of the network stays as it is";
}

TEST(ChannelGroups, GoThroughWhatIsLinearOrHomogeneous) {
  const Names one = {"conv1"};
  EXPECT_EQ(GroupsThrough(Relu{}), one);
  EXPECT_EQ(GroupsThrough(Slopes{0.1f, 1}), one);
  EXPECT_EQ(GroupsThrough(MaxPool{{2, 2}, {1, 1}}), one);
  EXPECT_EQ(GroupsThrough(AveragePool{{2, 2}, {1, 1}}), one);
  EXPECT_EQ(GroupsThrough(GlobalAveragePool{}), one);
  EXPECT_EQ(GroupsThrough(Pad{Pad::Mode::kZero, {0, 0, 1, 1}, {0, 0, 1, 1}}), one);
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) { return n.Add(Add{}, {x, n.Constant({1})}); }), one);
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) {
              return n.Add(Add{}, {x, n.Pointwise(x, "other")});
            }),
            one);
}

TEST(ChannelGroups, AFactorForEachChannelEndsOneAndBeginsAnother) {
  for (const Shape& shape : {Shape{1}, Shape{4, 1, 1}, Shape{1, 4, 1, 1}}) {
    EXPECT_EQ(GroupsThrough([&](Network& n, ValueId x) {
                return n.Add(Mul{}, {x, n.Constant(shape)}, "mul");
              }),
              (Names{"conv1", "mul"}));
  }
  EXPECT_EQ(GroupsThrough([&](Network& n, ValueId x) {  // whatever makes what is multiplied
              const ValueId swish = n.Add(Unary{RecipeFunction::kHardSwish, 1, 0}, {x});
              return n.Add(Mul{}, {swish, n.Constant({1})}, "mul");
            }),
            Names{"mul"});
  EXPECT_EQ(GroupsThrough([&](Network& n, ValueId x) {
              return n.Add(Mul{}, {x, n.Constant({1, 1, 6, 6})}, "mul");
            }),
            Names{});
}

TEST(ChannelGroups, EndWhereAFactorWouldChangeResults) {
  EXPECT_EQ(GroupsThrough(Clip{0, 6}), Names{});
  EXPECT_EQ(GroupsThrough(Unary{RecipeFunction::kSigmoid}), Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) { return n.Add(Mul{}, {x, x}); }), Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) { return n.Add(Add{}, {x, n.image()}); }), Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) {  // something else reads it
              n.builder().AddOutput(n.Add(Unary{RecipeFunction::kTanh}, {x}));
              return x;
            }),
            Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) {  // and what it is added to
              const ValueId other = n.Pointwise(n.image(), "other");
              n.builder().AddOutput(n.Add(Unary{RecipeFunction::kTanh}, {other}));
              return n.Add(Add{}, {x, other});
            }),
            Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) {
              n.builder().AddOutput(x);
              return x;
            }),
            Names{});
  EXPECT_EQ(GroupsThrough([](Network& n, ValueId x) {  // channels change places
              return n.Add(Slice{{0, 0, 0, 0}, {1, 4, 6, 6}, {1, 1, 1, 1}}, {n.Add(Concat{1}, {x, x})});
            }),
            Names{});
}

TEST(ChannelGroups, WeightsOfTwoLayersOrWithCodesStay) {
  Network shared;
  const ValueId w = shared.Constant({4, 4, 1, 1});
  const Conv conv{{1, 1}, {1, 1}, {}, 1};
  const ValueId first = shared.Add(conv, {shared.image(), w}, "conv1");
  EXPECT_EQ(shared.Groups(shared.Add(conv, {first, w}, "conv2")), Names{});

  Network coded;
  auto codes = std::make_shared<ConstantCodes>();
  codes->codes.assign(16, 1);
  codes->scales = {1};
  const ValueId made = coded.Pointwise(coded.image(), "conv1");
  const ValueId v =
      *coded.builder().AddConstant("v", std::make_shared<const Tensor>(Ones({4, 4, 1, 1})), codes);
  EXPECT_EQ(coded.Groups(coded.Add(conv, {made, v}, "conv2")), Names{});
}

TEST(ChannelLayout, SaysWhichChannelsAWeightBelongsTo) {
  using Kind = ChannelLayout::Kind;
  const auto of = [](const ChannelLayout& layout, int64_t element, const Shape& shape) {
    const auto [in, out] = layout.Of(element, shape);
    return std::pair(in, out);
  };
  // 6 outputs in 2 groups, each of 2 inputs with 3 taps: element [4, 1, 2].
  EXPECT_EQ(of({Kind::kOutIn, 2}, (4 * 2 + 1) * 3 + 2, {6, 2, 3}), (std::pair<int64_t, int64_t>(3, 4)));
  // 4 inputs in 2 groups, each of 3 outputs: element [3, 2, 0].
  EXPECT_EQ(of({Kind::kInOut, 2}, (3 * 3 + 2) * 3, {4, 3, 3}), (std::pair<int64_t, int64_t>(3, 5)));
  EXPECT_EQ(of({Kind::kByAxis, 1, 1}, 5, {1, 4, 2}), (std::pair<int64_t, int64_t>(2, 2)));
}

}  // namespace
}  // namespace tally::quant
