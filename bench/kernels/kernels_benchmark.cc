// Every kernel row on the shapes of real models: bytes of operands and results for each second, beside a copy of as
// many bytes. Rows that need what the machine lacks are left out.
#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "fuzz/generators/values.h"
#include "ops/all_attrs.h"
#include "ops/kernels.h"
#include "tests/kernels/guarded_buffer.h"
#include "tests/kernels/run_kernel.h"

namespace tally {
namespace {

constexpr Interval kS8 = {-128, 127};
constexpr Interval kS16 = {-32768, 32767};

struct Case {
  std::string name;
  Opcode op;
  std::function<Attempt(ShapeContext&)> shape;
};

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

DraftId List(ShapeContext& c, const std::vector<int64_t>& values) {
  return c.Constant(Dims({static_cast<int64_t>(values.size())}), values);
}

Attempt Rescaled(ShapeContext& c, const Shape& shape, const Interval& x, int64_t channels, int64_t axis) {
  const std::vector<int64_t> m(channels, 1518500250), b(channels, 12345), s(channels, 42);
  const RescaleAttrs attrs = {.axis = axis, .lo = -128, .hi = 127};
  return {{c.draft.AddParam({shape, x}), List(c, m), List(c, b), List(c, s)}, Pack(attrs)};
}

Attempt Pair(ShapeContext& c, const Shape& a, const Shape& b) {
  return {{c.draft.AddParam({a, kS8}), c.draft.AddParam({b, kS8})}, Attributes{}};
}

std::vector<int64_t> Exponentials(int64_t n) {
  std::vector<int64_t> table(n);
  for (int64_t i = 0, e = int64_t{1} << 30; i < n; ++i, e -= e >> 4) table[i] = e;
  return table;
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"s32_s8_64x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 64, 56, 56}), {-1000000, 1000000}, 1, 0);
       }},
      {"s32_s8_per_channel_256x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 256, 56, 56}), {-1000000, 1000000}, 256, 1);
       }},
      {"s8_s8_256x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 256, 56, 56}), kS8, 1, 0);
       }},
      {"s8_s8_256x56x56", Opcode::kLincomb,
       [](auto& c) {
         const Shape shape = Dims({1, 256, 56, 56});
         const LincombAttrs attrs = {
             .multipliers = {40000, 50000}, .zero_points = {3, -7}, .shift = 16, .lo = -128, .hi = 127};
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, kS8})}, Pack(attrs)};
       }},
      {"s8_s8_30bit_256x56x56", Opcode::kLincomb,
       [](auto& c) {
         const Shape shape = Dims({1, 256, 56, 56});
         const LincombAttrs attrs = {
             .multipliers = {1 << 30, 1 << 29}, .zero_points = {3, -7}, .shift = 31, .lo = -128, .hi = 127};
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, kS8})}, Pack(attrs)};
       }},
      {"s8_64x112x112", Opcode::kRelu,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})}, Attributes{}};
       }},
      {"s8_s8_256x56x56", Opcode::kElemwiseAdd,
       [](auto& c) {
         return Pair(c, Dims({1, 256, 56, 56}), Dims({1, 256, 56, 56}));
       }},
      {"s8_s8_128x3072_by_row", Opcode::kBroadcastAdd,
       [](auto& c) {
         return Pair(c, Dims({128, 3072}), Dims({3072}));
       }},
      {"s8_s8_64x56x56_by_channel", Opcode::kBroadcastMul,
       [](auto& c) {
         return Pair(c, Dims({1, 64, 56, 56}), Dims({1, 64, 1, 1}));
       }},
      {"s8_s8_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(256);
         for (int64_t i = 0; i < 256; ++i) table[i] = 127 - i;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), kS8}), List(c, table)},
                        Pack(TableAttrs{.offset = -128})};
       }},
      {"s8_s16_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(256);
         for (int64_t i = 0; i < 256; ++i) table[i] = i * 100 - 12000;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), kS8}), List(c, table)},
                        Pack(TableAttrs{.offset = -128})};
       }},
      {"3x3s2_64x112x112", Opcode::kMaxPool,
       [](auto& c) {
         const PoolAttrs attrs = {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})}, Pack(attrs)};
       }},
      {"global_2048x7x7", Opcode::kAveragePool,
       [](auto& c) {
         AveragePoolAttrs attrs;
         attrs.kernel = {7, 7};
         attrs.stride = attrs.dilation = {1, 1};
         attrs.pad_begin = attrs.pad_end = {0, 0};
         attrs.lo = -128;
         attrs.hi = 127;
         return Attempt{{c.draft.AddParam({Dims({1, 2048, 7, 7}), kS8})}, Pack(attrs)};
       }},
      {"spatial_2048x7x7", Opcode::kReduce,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 2048, 7, 7}), kS8})}, Pack(ReduceAttrs{.axes = {2, 3}})};
       }},
      {"s8_q7_12x128x128", Opcode::kSoftmax,
       [](auto& c) {
         const SoftmaxAttrs attrs = {.axis = -1, .bits = 7, .lo = 0, .hi = 127};
         return Attempt{{c.draft.AddParam({Dims({1, 12, 128, 128}), kS8}), List(c, Exponentials(256))},
                        Pack(attrs)};
       }},
      {"s16_q15_12x128x128", Opcode::kSoftmax,
       [](auto& c) {
         const SoftmaxAttrs attrs = {.axis = -1, .bits = 15, .lo = 0, .hi = 32767};
         std::vector<int64_t> table(8192);
         for (int64_t i = 0; i < 8192; ++i) table[i] = (int64_t{1} << 30) / (i * i / 64 + 1);
         return Attempt{{c.draft.AddParam({Dims({1, 12, 128, 128}), {-3000, 3000}}), List(c, table)},
                        Pack(attrs)};
       }},
      {"s16_s8_long_shift_128x768", Opcode::kLayerNorm,
       [](auto& c) {
         const std::vector<int64_t> m(768, 30000000), b(768, int64_t{1} << 44);
         LayerNormAttrs attrs;
         attrs.guard = 0;
         attrs.epsilon = 1000;
         attrs.shift = 45;
         attrs.lo = -128;
         attrs.hi = 127;
         return Attempt{{c.draft.AddParam({Dims({128, 768}), {-8000, 8000}}), List(c, m), List(c, b)},
                        Pack(attrs)};
       }},
      {"s16_s8_128x768", Opcode::kLayerNorm,
       [](auto& c) {
         const std::vector<int64_t> m(768, 9000), b(768, 100000);
         LayerNormAttrs attrs;
         attrs.guard = 0;
         attrs.epsilon = 1000;
         attrs.shift = 28;
         attrs.lo = -128;
         attrs.hi = 127;
         return Attempt{{c.draft.AddParam({Dims({128, 768}), {-8000, 8000}}), List(c, m), List(c, b)},
                        Pack(attrs)};
       }},
      {"s8_nchw_to_nhwc_64x56x56", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8})}, Pack(TransposeAttrs{{0, 2, 3, 1}})};
       }},
      {"s8_heads_128x12x64", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({128, 12, 64}), kS8})}, Pack(TransposeAttrs{{1, 0, 2}})};
       }},
      {"s16_128x768", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({128, 768}), kS16})}, Pack(TransposeAttrs{{1, 0}})};
       }},
      {"s8_1x1_64x56x56", Opcode::kPad,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8})},
                        Pack(PadAttrs{{0, 0, 1, 1}, {0, 0, 1, 1}})};
       }},
  };
  return cases;
}

std::shared_ptr<DrawnCall> CallOfCase(const Case& given) {
  const std::vector<uint8_t> noise = NoiseBytes(7, 4096);
  EntropySource e(noise);
  ModuleDraft draft(Profile::kCore, {.max_elements = 1 << 26, .max_gas = int64_t{1} << 40, .max_depth = 0});
  ShapeContext context = {InfoOf(given.op), draft, e};
  const Attempt attempt = given.shape(context);
  const auto result = static_cast<DraftId>(draft.mark().values);
  if (!draft.TryEmit(given.op, attempt.operands, *attempt.attributes)) return nullptr;
  auto call = CallOf(draft, {result}, e);
  return call.has_value() ? std::make_shared<DrawnCall>(*std::move(call)) : nullptr;
}

void Run(benchmark::State& state, const KernelRow& row, const DrawnCall& call) {
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<KernelOperand> operands;
  std::vector<KernelResult> results;
  int64_t bytes = 0;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& tensor = call.operands[i];
    buffers.push_back(std::make_unique<GuardedBuffer>(tensor.bytes().size(), false));
    buffers.back()->Assign(tensor.bytes());
    operands.push_back({&call.operand_types[i], call.storages[i], buffers.back()->data()});
    bytes += tensor.bytes().size();
  }
  for (const TensorType& type : call.result_types) {
    buffers.push_back(std::make_unique<GuardedBuffer>(type.size_bytes(), true));
    results.push_back({&type, type.storage(), buffers.back()->data()});
    bytes += type.size_bytes();
  }
  const int64_t scratch_size = row.scratch_bytes == nullptr ? 0 : row.scratch_bytes(call.FactsIn(row.layout));
  GuardedBuffer scratch(scratch_size, true);
  for (auto _ : state) {
    row.run({&call.instruction->attributes, operands, results, scratch.data(), 0, 1});
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

void RunCopy(benchmark::State& state, int64_t bytes) {
  GuardedBuffer from(bytes / 2, true), to(bytes / 2, true);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes / 2);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (bytes / 2 * 2));
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  using namespace tally;
  for (const Case& given : Cases()) {
    const auto call = CallOfCase(given);
    if (call == nullptr) {
      std::fprintf(stderr, "case %s of %s is not valid\n", given.name.c_str(),
                   std::string(InfoOf(given.op).name).c_str());
      return 1;
    }
    int64_t bytes = 0;
    for (const Tensor& t : call->operands) bytes += t.bytes().size();
    for (const TensorType& t : call->result_types) bytes += t.size_bytes();
    benchmark::RegisterBenchmark((std::string(InfoOf(given.op).name) + "/" + given.name + "/memcpy").c_str(),
                                 [bytes](benchmark::State& state) { RunCopy(state, bytes); });
    for (const KernelRow& row : AllKernels()) {
      if (row.op != given.op || !DetectCpuFlags().HasAll(row.flags)) continue;
      if (!row.accepts(call->FactsIn(row.layout))) continue;
      benchmark::RegisterBenchmark((std::string(row.name) + "/" + given.name).c_str(),
                                   [&row, call](benchmark::State& state) { Run(state, row, *call); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
