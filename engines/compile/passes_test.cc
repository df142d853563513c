// When each pass does something, and when it must not: for a target that can do everything, one rule at a
// time.
#include "engines/compile/passes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engines/compile/print_schedule.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Names = std::vector<std::string>;

class FakeStep final : public ScheduledStep {
 public:
  FakeStep(std::string name, std::vector<BufferId> reads, std::vector<BufferId> writes)
      : ScheduledStep(std::move(name), 1, std::move(reads), std::move(writes)) {}
};

struct FakeTarget final : CompileTarget {
  explicit FakeTarget(const FunctionView& view) : function(view) {}

  std::optional<GemmForm> GemmAt(size_t step) override {
    const Opcode op = function.instruction(step).op;
    if (op == Opcode::kMatmul) return GemmForm{function.type(function.result(step)).shape.rank() - 1, false};
    return op == Opcode::kConvolution ? std::optional(GemmForm{1, false}) : std::nullopt;
  }
  bool Fuses() const override { return fuses; }
  bool WritesIntoConcat(const FusionGroup& group) const override {
    return function.instruction(group.gemm).op == Opcode::kConvolution && !group.viewed && !group.residual;
  }
  std::optional<size_t> PoolBehind(const FusionGroup& group, const std::vector<int>& uses) const override {
    const ValueId y = function.result(group.last);
    const auto reader = static_cast<size_t>(function.facts().last_steps[y]);
    if (!pools || uses[y] != 1 || reader >= function.body().size()) return std::nullopt;
    return function.instruction(reader).op == Opcode::kMaxPool ? std::optional(reader) : std::nullopt;
  }
  Layout LayoutOfX(const FusionGroup&, bool, bool) const override { return Layout::kChannelsLast; }
  bool RunsChannelsLast(const Schedule&, const ScheduledOp& op) override {
    return channels_last.contains(function.instruction(op.instruction).op);
  }
  bool MayKeep(int64_t) override { return keeps; }
  void Select(Schedule& schedule, ScheduledOp& op) override {
    std::vector<BufferId> reads, writes;
    for (const ValueRef& x : op.operands) reads.push_back(x.buffer);
    for (const ValueRef& y : op.results) writes.push_back(y.buffer);
    op.steps.push_back(std::make_unique<FakeStep>(NameOf(function, schedule, op), reads, writes));
    if (next_overread < overreads.size()) op.steps[0]->NoteOverread(reads[0], overreads[next_overread++]);
    if (op.kind != ScheduledOpKind::kCopy) op.in_place_operand = 0;
  }

  const FunctionView function;
  bool fuses = true, pools = false, keeps = true;
  std::vector<int64_t> overreads;  // for the steps, after the first buffer that each reads
  size_t next_overread = 0;
  std::set<Opcode> channels_last = {Opcode::kRelu, Opcode::kMaxPool};
};

class Passes : public testing::Test {
 protected:
  inline static const ConvolutionAttrs kOnePixel = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}};

  static Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }
  ValueId Param(std::vector<int64_t> dims) {
    return b_.Param("p" + std::to_string(params_++), {Dims(std::move(dims)), {-100, 100}});
  }
  ValueId Constant(std::vector<int64_t> dims) {
    const Shape shape = Dims(std::move(dims));
    return b_.Constant(*Tensor::FromValues(shape, std::vector<int64_t>(shape.num_elements(), 3)));
  }
  ValueId Relu(ValueId x) { return b_.Op(Opcode::kRelu, {x}); }
  ValueId Add(ValueId x, ValueId y) { return b_.Op(Opcode::kBroadcastAdd, {x, y}); }
  ValueId Convolution(ValueId x, int64_t in, int64_t out) {
    return b_.Op(Opcode::kConvolution, {x, Constant({out, in, 1, 1})}, kOnePixel);
  }
  ValueId ToBytes(ValueId x) {
    return b_.Op(Opcode::kRescale, {x, Constant({1}), Constant({1}), Constant({1})},
                 RescaleAttrs{.lo = -128, .hi = 127});
  }
  ValueId Concatenate(std::vector<ValueId> x, int64_t axis) {
    return b_.Op(Opcode::kConcatenate, std::move(x), ConcatenateAttrs{.axis = axis});
  }
  ValueId Transpose(ValueId x, std::vector<int64_t> axes) {
    return b_.Op(Opcode::kTranspose, {x}, TransposeAttrs{std::move(axes)});
  }
  ValueId Reshape(ValueId x, std::vector<int64_t> dims) {
    return b_.Op(Opcode::kReshape, {x}, ReshapeAttrs{.shape = std::move(dims)});
  }
  // Rows from `begin` on.
  ValueId Rows(ValueId x, int64_t begin, int64_t end, int64_t stride = 1) {
    return b_.Op(Opcode::kStridedSlice, {x},
                 StridedSliceAttrs{.begin = {begin}, .end = {end}, .stride = {stride}});
  }
  ValueId MaxPool(ValueId x) {
    return b_.Op(
        Opcode::kMaxPool, {x},
        PoolAttrs{
            .kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
  }
  void Result(ValueId y) { b_.Result("y" + std::to_string(results_++), y); }

  // The operations that `pass` leaves, by name.
  Names After(Pass pass) {
    if (module_ == nullptr) {
      auto valid = Validate(std::move(b_).Build());
      EXPECT_TRUE(valid.ok()) << valid.status();
      module_ = std::make_unique<const ValidModule>(*std::move(valid));
    }
    const FunctionView function(*module_, 0);
    FakeTarget target(function);
    adjust_(target);
    Names names;
    PassOptions options = options_;
    options.after = [&](Pass done, const FunctionView&, const Schedule& schedule) {
      if (done != pass) return;
      text_ = PrintSchedule(function, schedule);
      for (const ScheduledOp& op : schedule.ops) {
        if (pass < Pass::kAlias || !op.steps.empty()) names.push_back(NameOf(function, schedule, op));
      }
    };
    schedule_ = CompileFunction(function, target, options);
    return names;
  }
  // Whether the results of two steps share bytes with an operand of theirs.
  Names StepsInPlace() {
    After(Pass::kPlace);
    Names names;
    for (const auto& step : schedule_.steps) {
      if (NotesOf(schedule_, *step).Has(StepNote::kInPlace)) names.push_back(step->name());
    }
    return names;
  }

  ModuleBuilder b_{Profile::kCore};
  PassOptions options_ = {.parts_are_views = true, .writes_in_place = true};
  std::function<void(FakeTarget&)> adjust_ = [](FakeTarget&) {};
  std::unique_ptr<const ValidModule> module_;
  Schedule schedule_;
  std::string text_;

 private:
  int params_ = 0, results_ = 0;
};

TEST_F(Passes, FuseWhatFollowsAGemm) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(b_.Op(Opcode::kNegative, {Relu(ToBytes(Convolution(x, 2, 3)))}));
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale+relu", "negative"}));
  adjust_ = [](FakeTarget& t) { t.fuses = false; };
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution", "rescale", "relu", "negative"}));
}

TEST_F(Passes, FuseNothingAcrossWhatIsShown) {
  const ValueId x = Param({1, 2, 4, 4});
  const ValueId bytes = ToBytes(Convolution(x, 2, 3));
  const ValueId y = Relu(bytes);
  const ValueId unread = Relu(ToBytes(Convolution(x, 2, 1)));
  Result(y);
  const auto show = [](std::initializer_list<ValueId> ids) {
    ObservedFunction shown;
    for (const ValueId id : ids) shown.values.push_back({id, {}, id});
    return shown;
  };
  const ObservedFunction ends = show({y, unread}), middle = show({bytes, y});
  options_.observed = &ends;
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale+relu", "convolution+rescale+relu"}));
  options_.observed = &middle;
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale", "relu", "convolution+rescale+relu"}));
}

TEST_F(Passes, PoolWhatAGroupComputes) {
  const ValueId x = Param({1, 2, 4, 4});
  const ValueId y = ToBytes(Convolution(x, 2, 3));
  Result(MaxPool(y));
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale", "max_pool"}));
  adjust_ = [](FakeTarget& t) { t.pools = true; };
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale+max_pool"}));
}

TEST_F(Passes, PoolNothingThatIsNotWrittenChannelsLast) {
  const ValueId x = Param({1, 2, 4, 4});
  adjust_ = [](FakeTarget& t) { t.pools = true; };
  Result(MaxPool(Add(ToBytes(Convolution(x, 2, 2)), x)));
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale+broadcast_add", "max_pool"}));
}

TEST_F(Passes, WriteGroupsIntoTheChannelsOfAConcatenation) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(Concatenate({ToBytes(Convolution(x, 2, 3)), ToBytes(Convolution(x, 2, 5))}, 1));
  EXPECT_EQ(After(Pass::kFuse),
            (Names{"convolution+rescale+concatenate", "convolution+rescale+concatenate", "concatenate"}));
  // The rest is a view.
  EXPECT_EQ(After(Pass::kAssignLayouts),
            (Names{"convert", "convolution+rescale+concatenate", "convolution+rescale+concatenate",
                   "concatenate (view)", "convert"}));
  options_.parts_are_views = false;
  EXPECT_EQ(After(Pass::kFuse), (Names{"convolution+rescale", "convolution+rescale", "concatenate"}));
}

TEST_F(Passes, WriteNoGroupsIntoLinesOrForAnotherReader) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(Concatenate({ToBytes(Convolution(x, 2, 3)), ToBytes(Convolution(x, 2, 3))}, 2));
  const ValueId twice = ToBytes(Convolution(x, 2, 3));
  Result(Concatenate({twice, ToBytes(Convolution(x, 2, 3))}, 1));
  Result(twice);
  Result(Concatenate({ToBytes(Convolution(x, 2, 3)), Relu(x)}, 1));
  Result(Concatenate({ToBytes(Convolution(x, 2, 3)), Convolution(x, 2, 3)}, 1));  // in another storage
  const auto sum = [&] { return Add(ToBytes(Convolution(x, 2, 2)), x); };
  Result(Concatenate({sum(), sum()}, 1));  // with a residual
  for (const std::string& name : After(Pass::kFuse)) {
    EXPECT_EQ(name.find("+concatenate"), std::string::npos) << name;
  }
}

TEST_F(Passes, ConvertEachValueOnce) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(Add(Convolution(x, 2, 3), Convolution(x, 2, 3)));
  EXPECT_EQ(After(Pass::kAssignLayouts),
            (Names{"convert", "convolution", "convolution", "convert", "convert", "broadcast_add"}));
}

TEST_F(Passes, ReadAResidualInTheLayoutOfTheResult) {
  const ValueId x = Param({1, 2, 4, 4}), y = Relu(ToBytes(Convolution(x, 2, 3)));
  Result(Add(y, ToBytes(Convolution(x, 2, 3))));
  EXPECT_EQ(After(Pass::kAssignLayouts),
            (Names{"convert", "convolution+rescale", "convolution+rescale+relu+broadcast_add", "convert"}));
}

TEST_F(Passes, HoldEachValueInEachLayoutBehindTheStepThatWritesIt) {
  const ValueId p = Param({2, 16}), x = Reshape(p, {1, 2, 4, 4});
  const ValueId w = Constant({3, 2, 1, 1}), y = b_.Op(Opcode::kConvolution, {x, w}, kOnePixel);
  const ValueId a = ToBytes(Convolution(x, 2, 3)), b = ToBytes(Convolution(x, 2, 3)),
                z = Concatenate({a, b}, 1);
  Result(y);
  Result(z);
  After(Pass::kPlace);
  using Held = std::tuple<size_t, ValueId, Layout>;
  std::vector<Held> held;
  for (const HeldRef& h : schedule_.held) {
    if (h.id >= x && schedule_.IsConstant(h.value.buffer)) continue;
    held.emplace_back(h.steps, h.id, h.value.layout);
  }
  // Parts have no layout of their own.
  EXPECT_EQ(held, (std::vector<Held>{{0, p, Layout::kRowMajor},
                                     {0, x, Layout::kRowMajor},
                                     {1, x, Layout::kChannelsLast},
                                     {2, y, Layout::kChannelsLast},
                                     {4, z, Layout::kChannelsLast},
                                     {5, y, Layout::kRowMajor},
                                     {6, z, Layout::kRowMajor}}));
}

TEST_F(Passes, ConvertNothingThatIsTheSameInBothLayouts) {
  const ValueId x = Param({1, 1, 4, 4});
  Result(Convolution(x, 1, 1));
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"convolution"}));
}

TEST_F(Passes, KeepTheLayoutWhereTheTargetHasAKernelForIt) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(MaxPool(Convolution(x, 2, 3)));
  Result(b_.Op(Opcode::kNegative, {Convolution(x, 2, 3)}));
  EXPECT_EQ(After(Pass::kAssignLayouts),
            (Names{"convert", "convolution", "max_pool", "convolution", "convert", "negative", "convert"}));
}

TEST_F(Passes, ConvertConstantsWithThePlan) {
  const ValueId x = Param({1, 3, 4, 4});
  Result(Convolution(Constant({1, 2, 4, 4}), 2, 3));
  Result(Relu(x));
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"convolution", "relu", "convert"}));
  adjust_ = [](FakeTarget& t) { t.keeps = false; };
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"convert", "convolution", "relu", "convert"}));
}

TEST_F(Passes, ViewReshapesAndTransposesBetweenLayouts) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(Reshape(x, {2, 16}));
  Result(Relu(Transpose(x, {0, 3, 1, 2})));
  Result(Transpose(x, {0, 1, 3, 2}));
  EXPECT_EQ(After(Pass::kAssignLayouts),
            (Names{"reshape (view)", "transpose (view)", "relu", "transpose", "convert"}));
  EXPECT_EQ(schedule_.views, (Names{"reshape", "transpose"}));
}

TEST_F(Passes, ViewSlicesThatBeginOnACacheLine) {
  const ValueId x = Param({4, 64});
  Result(Relu(Rows(x, 1, 3)));
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"strided_slice (view)", "relu"}));
  options_.parts_are_views = false;
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"strided_slice", "relu"}));
}

TEST_F(Passes, ViewNoSliceThatSkipsOrBeginsWithinALine) {
  const ValueId x = Param({4, 64}), y = Param({4, 63});
  Result(Relu(Rows(x, 0, 4, 2)));
  Result(Relu(Rows(y, 1, 3)));
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"strided_slice", "relu", "strided_slice", "relu"}));
}

TEST_F(Passes, ComputePartsOfAConcatenationInPlace) {
  const ValueId x = Param({2, 64});
  Result(Concatenate({Relu(x), b_.Op(Opcode::kNegative, {x})}, 0));
  EXPECT_EQ(After(Pass::kSelect),
            (Names{"relu", "negative", "concatenate (copy)", "concatenate (copy)", "concatenate (view)"}));
  EXPECT_EQ(After(Pass::kAlias), (Names{"relu", "negative"}));
}

TEST_F(Passes, CopyPartsThatCannotMove) {
  const ValueId x = Param({2, 64}), y = Relu(x);
  // A parameter, a constant, and what is a part already.
  Result(Concatenate({y, x, Constant({1, 64}), y}, 0));
  EXPECT_EQ(After(Pass::kAlias),
            (Names{"relu", "concatenate (copy)", "concatenate (copy)", "concatenate (copy)"}));
}

TEST_F(Passes, CopyPartsThatAreReadBeyondTheirEnd) {
  const ValueId x = Param({2, 64}), y = Relu(x);
  Result(b_.Op(Opcode::kNegative, {y}));
  Result(Concatenate({y, x}, 0));
  EXPECT_EQ(After(Pass::kAlias), (Names{"relu", "negative", "concatenate (copy)"}));
  adjust_ = [](FakeTarget& t) { t.overreads = {0, 64}; };
  EXPECT_EQ(After(Pass::kAlias), (Names{"relu", "negative", "concatenate (copy)", "concatenate (copy)"}));
}

TEST_F(Passes, ConcatenateByOneStepWhereNothingCanMove) {
  const ValueId x = Param({2, 64}), y = Param({1, 63});
  Result(Concatenate({x, x}, 0));
  Result(Concatenate({Relu(y), Relu(y)}, 0));  // not on a cache line
  EXPECT_EQ(After(Pass::kAlias), (Names{"concatenate", "relu", "relu", "concatenate"}));
}

TEST_F(Passes, WriteOverWhatNothingReadsLater) {
  const ValueId x = Param({2, 3});
  Result(Relu(b_.Op(Opcode::kNegative, {Relu(x)})));
  EXPECT_EQ(StepsInPlace(), (Names{"negative", "relu"}));
  options_.writes_in_place = false;
  EXPECT_EQ(StepsInPlace(), Names{});
}

TEST_F(Passes, WriteOverNothingThatIsReadLater) {
  const ValueId x = Param({2, 3}), y = Relu(x);
  Result(b_.Op(Opcode::kNegative, {y}));  // y is a result
  Result(y);
  const ValueId z = b_.Op(Opcode::kAbs, {y});
  const ValueId w = b_.Op(Opcode::kNegative, {z});  // z is read once more, as a view
  Result(Add(w, b_.Op(Opcode::kAbs, {Reshape(Reshape(z, {6}), {2, 3})})));
  EXPECT_EQ(StepsInPlace(), (Names{"abs", "broadcast_add"}));
}

TEST_F(Passes, WriteOverNothingThatHasTakenItsPlaceAndIsReadLater) {
  const ValueId y = b_.Op(Opcode::kNegative, {Relu(Param({2, 3}))});  // over the result of relu
  Result(b_.Op(Opcode::kBroadcastMax, {b_.Op(Opcode::kAbs, {y}), y}));
  EXPECT_EQ(StepsInPlace(), (Names{"negative", "broadcast_max"}));
}

TEST_F(Passes, WriteOverNothingOfTheCallerOrTheModule) {
  const ValueId x = Param({2, 3});
  Result(Relu(x));
  Result(Relu(Constant({2, 3})));
  EXPECT_EQ(StepsInPlace(), Names{});
}

TEST_F(Passes, WriteOverNoOtherLayout) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(b_.Op(Opcode::kNegative, {ToBytes(Convolution(Relu(x), 2, 2))}));
  EXPECT_EQ(After(Pass::kSelect), (Names{"relu", "convert", "convolution+rescale", "convert", "negative"}));
  EXPECT_EQ(StepsInPlace(), (Names{"convolution+rescale", "negative"}));
}

TEST_F(Passes, WriteNoPartOfAConcatenationOverAnOperand) {
  const ValueId x = Param({1, 2, 4, 4});
  Result(Concatenate({ToBytes(Convolution(Relu(x), 2, 2)), ToBytes(Convolution(Relu(x), 2, 2))}, 1));
  EXPECT_EQ(StepsInPlace(), Names{});
}

TEST_F(Passes, WriteBesideWhatIsReadIsNotOverIt) {
  const ValueId y = Relu(Param({2, 64}));
  Result(Concatenate({y, b_.Op(Opcode::kNegative, {y})}, 0));
  EXPECT_EQ(StepsInPlace(), Names{});
  EXPECT_TRUE(NotesOf(schedule_, *schedule_.steps[1]).Has(StepNote::kWritesPart));
}

TEST_F(Passes, WriteOverNoOperandThatIsReadTwiceOrHasOtherElements) {
  const ValueId x = Param({2, 3}), r = Param({2, 3}), row = Param({1, 3});
  const ValueId y = Relu(x);
  Result(b_.Op(Opcode::kBroadcastMax, {y, y}));
  Result(b_.Op(Opcode::kBroadcastMul, {b_.Op(Opcode::kAbs, {x}), r}));
  Result(b_.Op(Opcode::kBroadcastMax, {b_.Op(Opcode::kAbs, {row}), r}));
  EXPECT_EQ(StepsInPlace(), Names{});
  for (const Buffer& buffer : schedule_.buffers) EXPECT_EQ(buffer.alias_of, -1) << text_;
}

// Values are shown in the order of their instructions in the module, whatever the order in the lowered one.
TEST_F(Passes, WriteOverNothingThatIsYetToBeShown) {
  const ValueId x = Param({2, 3}), y = Relu(x), z = b_.Op(Opcode::kNegative, {y});
  Result(b_.Op(Opcode::kAbs, {z}));
  const TensorType type = {Dims({2, 3}), {-100, 100}};
  ObservedFunction shown;
  options_.observed = &shown;
  shown.values = {{.id = y, .type = type, .place = y}, {.id = z, .type = type, .place = z}};
  EXPECT_EQ(StepsInPlace(), (Names{"negative", "abs"}));
  std::swap(shown.values[0], shown.values[1]);
  EXPECT_EQ(StepsInPlace(), (Names{"abs"}));
}

// Users know the types of the module; a lowering may have found narrower ones.
TEST_F(Passes, StoreWhatIsShownInTheTypeThatUsersKnow) {
  const ValueId x = Param({2, 3}), y = Relu(x), z = b_.Op(Opcode::kNegative, {y});
  Result(b_.Op(Opcode::kAbs, {z}));
  ObservedFunction shown;
  options_.observed = &shown;
  shown.values = {{.id = y, .type = {Dims({2, 3}), {-1000, 1000}}, .place = y},
                  {.id = z, .type = {Dims({2, 3}), {-100, 0}}, .place = z}};
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"relu", "negative", "abs"}));
  options_.show_as = ShowAs::kOwnTypes;
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"relu", "store", "negative", "abs"}));
  options_.show_as = ShowAs::kRoots;
  EXPECT_EQ(After(Pass::kAssignLayouts), (Names{"relu", "store", "root", "negative", "root", "abs"}));
}

TEST_F(Passes, PlaceApartWhatLivesAtTheSameTime) {
  const ValueId x = Param({1, 64}), y = Relu(x), z = b_.Op(Opcode::kAbs, {x});
  options_.writes_in_place = false;
  Result(Add(y, z));
  After(Pass::kPlace);
  std::vector<int64_t> offsets;
  for (const Buffer& buffer : schedule_.buffers) offsets.push_back(buffer.offset);
  // The largest first; x where the result comes, since it is read no more.
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 128, 192, 0})) << text_;
  EXPECT_EQ(schedule_.arena_bytes, 256);
}

// A result of the module may be shown long after its last reader.
TEST_F(Passes, PlaceNothingOverWhatIsYetToBeShown) {
  const ValueId x = Param({1, 64}), y = Relu(x), z = b_.Op(Opcode::kAbs, {y}),
                w = b_.Op(Opcode::kNegative, {z});
  options_.writes_in_place = false;
  Result(b_.Op(Opcode::kAbs, {w}));
  ObservedFunction shown;
  options_.observed = &shown;
  const TensorType type = {Dims({1, 64}), {-100, 100}};
  shown.values = {{.id = w, .type = type, .place = w}, {.id = y, .type = type, .place = y}};
  After(Pass::kPlace);
  const auto offset = [&](size_t value) { return schedule_.buffers[value].offset; };
  EXPECT_NE(offset(1), offset(2)) << text_;
  EXPECT_NE(offset(1), offset(3)) << text_;
  shown.values.pop_back();
  After(Pass::kPlace);
  EXPECT_EQ(offset(1), offset(3)) << text_;
}

TEST_F(Passes, LeaveRoomForWhatIsReadBehindTheEnd) {
  const ValueId x = Param({4, 64});
  Result(Relu(x));
  Result(Relu(Rows(x, 1, 3)));
  Result(b_.Op(Opcode::kAbs, {x}));
  adjust_ = [](FakeTarget& t) { t.overreads = {64, 192, 0}; };
  After(Pass::kPlace);
  EXPECT_EQ(schedule_.buffers[schedule_.params[0].buffer].overread_bytes, 128) << text_;
  EXPECT_EQ(schedule_.arena_bytes, 256 + 128 + 256 + 128 + 256) << text_;
}

TEST_F(Passes, PlaceNoConstants) {
  Result(Add(Relu(Param({2, 64})), Constant({2, 64})));
  After(Pass::kPlace);
  for (const Buffer& buffer : schedule_.buffers) {
    if (buffer.is_constant()) {
      EXPECT_EQ(buffer.offset, -1) << text_;
    }
  }
}

TEST_F(Passes, NoteWhatAStepIsFusedWith) {
  Result(Relu(ToBytes(Convolution(Param({1, 2, 4, 4}), 2, 3))));
  After(Pass::kPlace);
  EXPECT_EQ(schedule_.steps[0]->notes().names(), std::vector<std::string_view>{});
  EXPECT_EQ(schedule_.steps[1]->notes().names(), (std::vector<std::string_view>{"rescale", "clip"}));
}

}  // namespace
}  // namespace tally
