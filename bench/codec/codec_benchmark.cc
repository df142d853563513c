// The cost of taking in a model: 25 MiB of weights in 50 dense layers, each followed by a rescale.
//
//   bazel run //bench/codec:codec_benchmark
//
// bytes_per_second counts the bytes of the file, where all are read: decoding takes weights in place.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "ops/rescale/attrs.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/load_module.h"
#include "serializer/module_id.h"
#include "vm/module_builder.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int64_t kWidth = 724;  // 724^2 weights are half a MiB
constexpr int kLayers = 50;

// Ends the process: a benchmark of a failure would be a fast one.
template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

Tensor Weights() {
  Tensor weights(*Shape::Create({kWidth, kWidth}), Storage::kI8);
  uint32_t state = 1;
  for (uint8_t& byte : weights.mutable_bytes())
    byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return weights;
}

const Module& Model() {
  static const Module model = [] {
    ModuleBuilder b(Profile::kCore);
    const Tensor weights = Weights();
    ValueId x = b.Param("x", {*Shape::Create({1, kWidth}), {-128, 127}});
    for (int layer = 0; layer < kLayers; ++layer) {
      const ValueId sums = b.Op(Opcode::kDense, {x, b.Constant(weights)});
      const ValueId multiplier = b.Constant(*Tensor::FromValues(*Shape::Create({1}), {1'300'000'000}));
      const ValueId addend = b.Constant(*Tensor::FromValues(*Shape::Create({1}), {0}));
      const ValueId shift = b.Constant(*Tensor::FromValues(*Shape::Create({1}), {42}));
      x = b.Op(Opcode::kRescale, {sums, multiplier, addend, shift}, RescaleAttrs{.lo = -128, .hi = 127});
    }
    b.Result("y", x);
    return std::move(b).Build();
  }();
  return model;
}

const std::vector<uint8_t>& File() {
  static const std::vector<uint8_t> file = Encode(Model());
  return file;
}

void CountFileBytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(File().size()));
}

void EncodeModel(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Encode(Model()));
  CountFileBytes(state);
}
BENCHMARK(EncodeModel)->Unit(benchmark::kMillisecond);

void DecodeModel(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(OrDie(Decode(File(), nullptr)));
}
BENCHMARK(DecodeModel)->Unit(benchmark::kMillisecond);

void DecodeAndValidateModel(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(OrDie(Validate(OrDie(Decode(File(), nullptr)))));
}
BENCHMARK(DecodeAndValidateModel)->Unit(benchmark::kMillisecond);

// From a file in the page cache, mapped anew each time.
void LoadAndValidateModel(benchmark::State& state) {
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/codec_benchmark-" +
                           std::to_string(getpid()) + ".tally";
  if (!WriteFileAtomically(path, File()).ok()) {
    state.SkipWithError("cannot write the file");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(OrDie(Validate(OrDie(LoadModule(path)))));
  std::remove(path.c_str());
}
BENCHMARK(LoadAndValidateModel)->Unit(benchmark::kMillisecond);

void HashModel(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ModuleId(Model()));
  CountFileBytes(state);
}
BENCHMARK(HashModel)->Unit(benchmark::kMillisecond);

void PrintModel(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Print(Model()));
  CountFileBytes(state);
}
BENCHMARK(PrintModel)->Unit(benchmark::kMillisecond);

void AssembleModel(benchmark::State& state) {
  const std::string text = Print(Model());
  for (auto _ : state) benchmark::DoNotOptimize(OrDie(Assemble(text)));
  CountFileBytes(state);
}
BENCHMARK(AssembleModel)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tally

BENCHMARK_MAIN();
