// The cost of the C interface compared with the functions that it calls: run_api [--rounds R] [--json FILE].
// Method: bench/README.md.
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/c/tally.h"
#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "bench/harness/contender.h"
#include "bench/harness/machine.h"
#include "bench/harness/stopwatch.h"
#include "bench/models/works.h"
#include "engines/engine.h"
#include "serializer/encode.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kElements = 16;
constexpr int kCallsOfARun = 1000;  // so that its milliseconds are microseconds of a call

struct Options {
  int rounds = 15;
  std::string json;
};

// Error of a function of tally.h.
absl::Status Ok(tally_status status, const tally_error& error) {
  return status == TALLY_OK ? absl::OkStatus() : absl::InternalError(error.message);
}

// y = -x: as little work as a module can have.
Module Negative() {
  ModuleBuilder b(Profile::kCore);
  b.Result("y", b.Op(Opcode::kNegative, {b.Param("x", {*Shape::Create({kElements}), {-100, 100}})}));
  return std::move(b).Build();
}

// The same calls in one of several ways.
class Calls final : public Contender {
 public:
  using Call = std::function<absl::Status()>;
  Calls(std::string name, Call call) : name_(std::move(name)), call_(std::move(call)) {}

  std::string name() const override { return name_; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override {
    std::vector<double> times;
    for (int i = 0; i < iterations; ++i) {
      const Stopwatch watch(clock);
      for (int c = 0; c < kCallsOfARun; ++c) RETURN_IF_ERROR(call_());
      times.push_back(watch.Milliseconds());
    }
    return times;
  }

 private:
  std::string name_;
  Call call_;
};

absl::Status MeasureCalls(const Options& options, Json& rows) {
  ASSIGN_OR_RETURN(ValidModule proven, Validate(Negative()));
  const auto valid = std::make_shared<const ValidModule>(std::move(proven));
  ASSIGN_OR_RETURN(const auto bare, MakePlan("cpu", valid));
  const std::vector<uint8_t> bytes = Encode(valid->module());
  tally_error error = {.size = sizeof error};
  tally_module module = {};
  tally_plan plan = {};
  tally_cancellation cancellation = {};
  RETURN_IF_ERROR(Ok(tally_module_load_bytes(bytes.data(), bytes.size(), nullptr, &module, &error), error));
  RETURN_IF_ERROR(Ok(tally_plan_make(module, nullptr, &plan, &error), error));
  RETURN_IF_ERROR(Ok(tally_cancellation_make(&cancellation, &error), error));

  AlignedVector<int8_t> x(2 * kElements), y(2 * kElements);
  const TensorView view = {
      Storage::kI8, *Shape::Create({kElements}), {reinterpret_cast<const uint8_t*>(x.data()), kElements}};
  const std::span<uint8_t> memory[] = {{reinterpret_cast<uint8_t*>(y.data()), kElements}};
  const tally_tensor input = {.data = x.data(), .bytes = kElements},
                     result = {.data = y.data(), .bytes = kElements};
  const int64_t strides[] = {2};
  const tally_tensor apart_input = {.data = x.data(), .bytes = 2 * kElements, .strides = strides};
  const tally_tensor apart_result = {.data = y.data(), .bytes = 2 * kElements, .strides = strides};
  tally_run_options cancellable = {.size = sizeof cancellable, .cancellation = cancellation};
  const auto call = [&](const tally_tensor& in, const tally_tensor& out, const tally_run_options* how) {
    return [&, how] { return Ok(tally_plan_run(plan, &in, 1, &out, 1, how, &error), error); };
  };
  std::vector<Calls> ways;
  ways.emplace_back("the plan alone", [&] { return bare->ExecuteInto({&view, 1}, memory, {}); });
  ways.emplace_back("tally_plan_run", call(input, result, nullptr));
  ways.emplace_back("with a cancellation", call(input, result, &cancellable));
  ways.emplace_back("with strides", call(apart_input, apart_result, nullptr));
  std::vector<Contender*> contenders;
  for (Calls& way : ways) contenders.push_back(&way);
  ASSIGN_OR_RETURN(const std::vector<Samples> samples,
                   TakeTurns(contenders, {.rounds = options.rounds, .turn_ms = 20}));
  std::printf("calls that negate %d elements, us of one (median); above: beside the plan alone\n",
              static_cast<int>(kElements));
  for (size_t i = 0; i < samples.size(); ++i) {
    const double us = samples[i].median(), above = us - samples[0].median();
    std::printf("  %-22s %8.3f  above %7.3f\n", ways[i].name().c_str(), us, above);
    rows.push_back({{"call", ways[i].name()}, {"us", us}, {"above_us", above}});
  }
  tally_plan_close(plan);
  tally_module_close(module);
  tally_cancellation_close(cancellation);
  return absl::OkStatus();
}

// The anonymous memory of this process, in MiB: not the pages of the module's file.
double AnonymousMiB() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kib;
  }
  return kib / 1024;
}

// Milliseconds, the least of some.
template <typename Function>
absl::StatusOr<double> LeastOf(int times, const Function& function) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    const Stopwatch watch;
    RETURN_IF_ERROR(function());
    least = std::min(least, watch.Milliseconds());
  }
  return least;
}

absl::Status MeasureModule(const Options& options, Json& rows) {
  ASSIGN_OR_RETURN(Work work, BuildWork("resnet50", {}));
  const std::string path = "/tmp/tally_bench_api_" + std::to_string(getpid()) + ".tally";
  int64_t constant_bytes = 0;
  {
    ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(work.module)));
    constant_bytes = valid.constant_bytes();
    RETURN_IF_ERROR(WriteFileAtomically(path, Encode(valid.module())));
  }
  tally_error error = {.size = sizeof error};
  tally_module module = {};
  uint8_t id[32];
  const auto load = [&] { return Ok(tally_module_load_file(path.c_str(), nullptr, &module, &error), error); };
  ASSIGN_OR_RETURN(const double mapped, LeastOf(options.rounds, [&]() -> absl::Status {
                     RETURN_IF_ERROR(load());
                     return Ok(tally_module_close(module), error);
                   }));
  ASSIGN_OR_RETURN(const double named, LeastOf(3, [&]() -> absl::Status {
                     RETURN_IF_ERROR(load());
                     RETURN_IF_ERROR(Ok(tally_module_id(module, id, &error), error));
                     return Ok(tally_module_close(module), error);
                   }));
  std::printf(
      "\nResNet-50, %.1f MiB of constants\n  load, mapped and validated   %8.3f ms\n"
      "  the same and its id          %8.3f ms\n",
      static_cast<double>(constant_bytes) / (1 << 20), mapped, named);
  rows.push_back({{"load_ms", mapped}, {"load_and_id_ms", named}});

  RETURN_IF_ERROR(load());
  unlink(path.c_str());  // the mapping stays
  malloc_trim(0);        // memory left by building the network
  double before = AnonymousMiB();
  tally_plan plans[2] = {};
  for (tally_plan& plan : plans) {
    RETURN_IF_ERROR(Ok(tally_plan_make(module, nullptr, &plan, &error), error));
    tally_plan_info info = {.size = sizeof info};
    tally_value_info param = {.size = sizeof param}, scores = {.size = sizeof scores};
    RETURN_IF_ERROR(Ok(tally_plan_get_info(plan, &info, &error), error));
    RETURN_IF_ERROR(Ok(tally_module_param(module, 0, &param, &error), error));
    RETURN_IF_ERROR(Ok(tally_module_result(module, 0, &scores, &error), error));
    std::vector<uint8_t> x(param.bytes), y(scores.bytes);
    const tally_tensor input = {.data = x.data(), .bytes = x.size(), .storage = param.storage};
    const tally_tensor result = {.data = y.data(), .bytes = y.size(), .storage = scores.storage};
    RETURN_IF_ERROR(Ok(tally_plan_run(plan, &input, 1, &result, 1, nullptr, &error), error));
    const double after = AnonymousMiB();
    std::printf("  plan %s and a run        %8.1f MiB, of which it says %.1f kept and %.1f for a run\n",
                &plan == plans ? "one" : "two", after - before,
                static_cast<double>(info.kept_bytes) / (1 << 20),
                static_cast<double>(info.memory_bytes) / (1 << 20));
    rows.push_back(
        {{"plan_mib", after - before}, {"kept_bytes", info.kept_bytes}, {"memory_bytes", info.memory_bytes}});
    before = after;
  }
  for (const tally_plan& plan : plans) RETURN_IF_ERROR(Ok(tally_plan_close(plan), error));
  return Ok(tally_module_close(module), error);
}

absl::Status RunAll(const Options& options) {
  const bool pinned = PinTo(1);
  const std::string machine = DescribeMachine(DetectCpuFlags());
  std::printf("%s%s\n\n", machine.c_str(), pinned ? "pinned" : "not pinned");
  Json rows = Json::array();
  RETURN_IF_ERROR(MeasureCalls(options, rows));
  RETURN_IF_ERROR(MeasureModule(options, rows));
  if (options.json.empty()) return absl::OkStatus();
  const std::string text = Json{{"machine", machine}, {"pinned", pinned}, {"results", rows}}.dump(2) + "\n";
  return WriteFileAtomically(options.json, AsBytes(text));
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  CLI::App app("Measures calls through the C interface, loading, and the memory of plans.");
  app.add_option("--rounds", options.rounds, "turns of each")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results here");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = tally::bench::RunAll(options);
  if (!status.ok()) std::fprintf(stderr, "run_api: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
