#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/aligned_vector.h"
#include "base/status_macros.h"
#include "bench/cuda/report.h"
#include "bench/cuda/timed_device.h"
#include "bench/harness/tally_contender.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "vm/engines/cuda/cuda_engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

// A caller of a plan, with inputs and memory for results of its own.
class Caller {
 public:
  Caller(const Plan& plan, uint64_t seed) : plan_(plan) {
    RandomSource random(seed);
    const ValidModule& module = plan.module();
    for (const TensorType& type : module.entry().params) inputs_.push_back(RandomTensor(type, random));
    for (const ValueId id : module.entry().results) results_.emplace_back(module.types()[id].size_bytes());
    for (const Tensor& input : inputs_) views_.push_back(input.view());
    for (AlignedVector<uint8_t>& bytes : results_) spans_.emplace_back(bytes);
  }
  absl::Status Run() { return plan_.ExecuteInto(views_, spans_, {}); }

 private:
  const Plan& plan_;
  std::vector<Tensor> inputs_;
  std::vector<AlignedVector<uint8_t>> results_;
  std::vector<TensorView> views_;
  std::vector<std::span<uint8_t>> spans_;
};

struct Latency {
  Samples wall, device, kernels;
};

absl::StatusOr<Latency> MeasureLatency(const Plan& plan, TimedDevice& device, const ReportOptions& options) {
  Caller caller(plan, 1);
  RETURN_IF_ERROR(caller.Run());
  device.Take();
  Latency latency;
  const Stopwatch watch;
  const double enough_ms = options.turns.turn_ms * options.turns.rounds;
  do {
    const Stopwatch run;
    RETURN_IF_ERROR(caller.Run());
    latency.wall.Add({run.Milliseconds()});
    const TimedDevice::Times times = device.Take();
    latency.device.Add({times.total});
    latency.kernels.Add({times.kernels});
  } while (watch.Milliseconds() < enough_ms);
  return latency;
}

// Runs a second, with as many callers as the device takes at once.
absl::StatusOr<double> MeasureThroughput(const Plan& plan, const ReportOptions& options) {
  const double enough_ms = options.turns.turn_ms * options.turns.rounds;
  std::array<absl::Status, kMaxCudaRuns> failures;
  std::array<int64_t, kMaxCudaRuns> runs = {};
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<Caller>> callers;
  for (uint64_t c = 0; c < kMaxCudaRuns; ++c) callers.push_back(std::make_unique<Caller>(plan, c));
  for (const auto& caller : callers) RETURN_IF_ERROR(caller->Run());
  const Stopwatch watch;
  for (int c = 0; c < kMaxCudaRuns; ++c) {
    threads.emplace_back([&, c] {
      do {
        failures[c] = callers[c]->Run();
        ++runs[c];
      } while (failures[c].ok() && watch.Milliseconds() < enough_ms);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = 1e-3 * watch.Milliseconds();
  int64_t all = 0;
  for (int c = 0; c < kMaxCudaRuns; ++c) {
    RETURN_IF_ERROR(failures[c]);
    all += runs[c];
  }
  return static_cast<double>(all) / seconds;
}

absl::StatusOr<Json> MeasureNetwork(const std::shared_ptr<cuda::Device>& device, const NetworkShape& network,
                                    const DevicePeak& peak, const ReportOptions& options) {
  ASSIGN_OR_RETURN(Work work, BuildWork(network.work, {.batch = network.batch, .scale = options.scale}));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  const auto module = std::make_shared<const ValidModule>(std::move(valid));
  const auto timed = std::make_shared<TimedDevice>(device);
  Json row = {{"work", network.work}, {"batch", network.batch}};
  {
    ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module, timed));
    ASSIGN_OR_RETURN(const Latency latency, MeasureLatency(*plan, *timed, options));
    const auto add = [&](const char* name, const Samples& samples) {
      row[name] = {{"min", samples.min()}, {"median", samples.median()}};
    };
    add("wall_ms", latency.wall);
    add("device_ms", latency.device);
    add("kernels_ms", latency.kernels);
    const std::vector<std::string> kernels = plan->kernels();
    row["kernels"] = CountKernels(kernels);
    row["host_steps"] =
        std::ranges::count_if(kernels, [](const auto& k) { return k.ends_with("_reference"); });
    const double tops = 2e-9 * static_cast<double>(work.multiply_accumulates) / latency.kernels.min();
    row["tops"] = tops;
    row["of_peak"] = tops / peak.tops;
  }
  ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module, device));
  ASSIGN_OR_RETURN(const double rate, MeasureThroughput(*plan, options));
  row["items_per_second"] = rate * static_cast<double>(network.batch);
  return row;
}

}  // namespace

std::span<const NetworkShape> ReportedNetworks() {
  static const std::vector<NetworkShape> networks = [] {
    std::vector<NetworkShape> all = {{"resnet50", 1},     {"resnet50", 8},     {"resnet50", 64},
                                     {"bert_layer", 1},   {"bert_layer", 8},   {"bert_layer", 64},
                                     {"mobilenet_v2", 1}, {"mobilenet_v2", 64}};
    for (const WorkInfo& info : AllWorks()) {
      if (!info.network) all.push_back({std::string(info.name), 1});
    }
    return all;
  }();
  return networks;
}

absl::StatusOr<Json> MeasureNetworks(const std::shared_ptr<cuda::Device>& device,
                                     std::span<const NetworkShape> networks, const DevicePeak& peak,
                                     const ReportOptions& options) {
  std::printf("\n%-26s %5s %10s %10s %10s %9s %8s %12s %5s  kernels\n", "work", "batch", "wall ms",
              "device ms", "kernels ms", "TOPS", "of peak", "items/s", "host");
  Json rows = Json::array();
  for (const NetworkShape& network : networks) {
    ASSIGN_OR_RETURN(const Json row, MeasureNetwork(device, network, peak, options));
    std::printf("%-26s %5d %10.4f %10.4f %10.4f %9.2f %7.1f%% %12.1f %5d  %s\n", network.work.c_str(),
                static_cast<int>(network.batch), row["wall_ms"]["min"].get<double>(),
                row["device_ms"]["min"].get<double>(), row["kernels_ms"]["min"].get<double>(),
                row["tops"].get<double>(), 100 * row["of_peak"].get<double>(),
                row["items_per_second"].get<double>(), row["host_steps"].get<int>(),
                row["kernels"].get<std::string>().c_str());
    std::fflush(stdout);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tally::bench
