// Threads share a step without asking each other: no byte is written by two of its parts, working memory
// included, and none that the step does not say it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engines/cpu/compile_module.h"
#include "engines/cpu/program/program.h"
#include "engines/testing/engine_case.h"
#include "ops/elementwise/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/pooling/attrs.h"

namespace tally::cpu {
namespace {

constexpr int kThreads = 3;

class Parts : public EngineCase {
 protected:
  // By kernels of 3 x 3, padded.
  ValueId Gemm(ValueId x, ValueId w, int64_t groups = 1) {
    return b_.Op(
        Opcode::kConvolution, {x, w},
        ConvolutionAttrs{
            .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}, .groups = groups});
  }
  PoolAttrs Window() const {
    return {.kernel = {3, 3}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  }

  // Parts run one after another here, so that what one changes of another's is seen for certain.
  void ExpectPartsToBeApart() {
    const auto module = Module();
    ASSERT_NE(module, nullptr);
    for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
      std::vector<Program> programs;
      const CpuFlags flags = *CapCpuFlags(DetectCpuFlags(), level);
      Compile(*module, {.published = *module, .flags = flags, .threads = kThreads}, programs);
      // A byte that is written with what it holds is seen in the other run.
      for (const uint8_t filler : {0x00, 0x5a}) Check(programs[0], filler, level);
    }
  }

 private:
  // Whether the step says that it writes a byte of an arena that begins after a guard.
  static std::vector<bool> WritesOf(const Program& program, const Step& step, int64_t guard) {
    std::vector<bool> writes(guard + program.arena_bytes);
    for (const BufferId id : step.writes()) {
      const auto [root, offset] = program.PlaceOf(id);
      std::fill_n(writes.begin() + guard + program.buffers[root].offset + offset,
                  program.buffers[id].size_bytes, true);
    }
    return writes;
  }

  static void Check(const Program& program, uint8_t filler, std::string_view level) {
    // Nothing is written in front of the arena either.
    constexpr int64_t kGuard = 4096;
    AlignedVector<uint8_t> arena(kGuard + program.arena_bytes, filler);
    const Frame frame = {.program = &program, .arena = arena.data() + kGuard};
    RandomSource source(3);
    for (const ValueRef& param : program.params) {
      for (int64_t i = 0; i < param.type.shape.num_elements(); ++i) {
        StoreElement(param.storage, frame.At(param.buffer), i,
                     source.Between(param.type.interval.lo, param.type.interval.hi));
      }
    }
    for (size_t s = 0; s < program.steps.size(); ++s) {
      const Step& step = StepAt(program, s);
      const std::vector<bool> may_write = WritesOf(program, step, kGuard);
      std::vector<int> written_by(arena.size(), -1);
      for (int part = 0; part < step.parts(); ++part) {
        const AlignedVector<uint8_t> before = arena;
        step.Run(frame, part);
        for (size_t i = 0; i < arena.size(); ++i) {
          if (arena[i] == before[i]) continue;
          ASSERT_TRUE(may_write[i]) << level << ": part " << part << " of " << step.name()
                                    << " writes what belongs to other steps";
          ASSERT_EQ(written_by[i], -1)
              << level << ": part " << part << " of " << step.name() << " writes byte " << i << " of another";
          written_by[i] = part;
        }
      }
    }
  }
};

TEST_F(Parts, OfSums) {
  const ValueId x = Param({1, 20, 9, 11}), m = Param({40, 30}), r = Param({1, 50, 9, 11});
  Result(Add(Rescale(Gemm(x, Draw({50, 20, 3, 3}))), r));
  Result(Rescale(b_.Op(Opcode::kMatmul, {m, Draw({30, 70})}, MatmulAttrs{})));
  ExpectPartsToBeApart();
}

TEST_F(Parts, OfMatricesThatTheRunKnows) {
  const ValueId a = Param({5, 7, 30}), b = Param({5, 30, 40}, {-300, 300});
  Result(b_.Op(Opcode::kMatmul, {a, b}, MatmulAttrs{.zero_a = 3}));
  ExpectPartsToBeApart();
}

TEST_F(Parts, OfConvolutionsOfEachChannelByItself) {
  for (const int64_t channels : {20, 64, 200}) {
    b_ = ModuleBuilder(Profile::kCore);
    const ValueId x = Param({2, channels, 9, 11});
    Result(Rescale(Gemm(x, Draw({channels, 1, 3, 3}), channels)));
    ExpectPartsToBeApart();
  }
}

TEST_F(Parts, OfImagesThatArePooledAsTheyAreComputed) {
  for (const int64_t columns : {181, 186}) {
    b_ = ModuleBuilder(Profile::kCore);
    const ValueId x = Param({1, 3, 186, columns});
    Result(b_.Op(Opcode::kMaxPool, {Rescale(Gemm(x, Draw({64, 3, 3, 3})))}, Window()));
    ExpectPartsToBeApart();
  }
}

// Windows that leave lines out: a band in the middle of the image keeps nothing of the band before.
TEST_F(Parts, OfImagesThatArePooledNowAndThen) {
  const ValueId x = Param({1, 3, 186, 181});
  PoolAttrs window = Window();
  window.stride = {5, 2};
  Result(b_.Op(Opcode::kMaxPool, {Rescale(Gemm(x, Draw({64, 3, 3, 3})))}, window));
  ExpectPartsToBeApart();
}

TEST_F(Parts, OfOperatorsWithWorkingMemory) {
  const ValueId x = Param({2, 6, 10, 12});
  AveragePoolAttrs average = {.lo = -128, .hi = 127};
  const PoolAttrs window = Window();
  average.kernel = window.kernel, average.stride = window.stride, average.dilation = window.dilation;
  average.pad_begin = window.pad_begin, average.pad_end = window.pad_end;
  Result(b_.Op(Opcode::kAveragePool, {x}, average));
  Result(b_.Op(Opcode::kMaxPool, {x}, window));
  std::vector<int64_t> exponentials(40);
  for (size_t i = 0; i < exponentials.size(); ++i) exponentials[i] = (int64_t{1} << 30) >> i / 2;
  Result(b_.Op(Opcode::kSoftmax, {x, Constant({40}, exponentials)},
               SoftmaxAttrs{.axis = 3, .bits = 8, .hi = 255}));
  ExpectPartsToBeApart();
}

}  // namespace
}  // namespace tally::cpu
