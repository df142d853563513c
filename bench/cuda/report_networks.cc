#include <algorithm>
#include <array>
#include <cstdio>

#include "base/status_macros.h"
#include "bench/cuda/callers.h"
#include "bench/cuda/device_peak.h"
#include "bench/cuda/report.h"
#include "bench/cuda/timed_device.h"
#include "bench/harness/tally_contender.h"
#include "bench/models/works.h"
#include "engines/cuda/cuda_engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr std::array kCallers = {1, 2, 4, kMaxCudaRuns};

struct Latency {
  Samples wall, device, kernels, start;
};

absl::StatusOr<Latency> MeasureLatency(const Plan& plan, TimedDevice& device, double enough_ms) {
  Caller caller(plan, 1);
  RETURN_IF_ERROR(caller.Run());
  device.Take();
  Latency latency;
  const Stopwatch watch;
  do {
    const Stopwatch run;
    RETURN_IF_ERROR(caller.Run());
    latency.wall.Add({run.Milliseconds()});
    const TimedDevice::Times times = device.Take();
    latency.device.Add({times.total});
    latency.kernels.Add({times.kernels});
    latency.start.Add({times.start});
  } while (watch.Milliseconds() < enough_ms);
  return latency;
}

absl::StatusOr<Json> MeasureNetwork(const std::shared_ptr<cuda::Device>& device, const NetworkShape& network,
                                    const DevicePeak& peak, const ReportOptions& options) {
  ASSIGN_OR_RETURN(Work work, BuildWork(network.work, {.batch = network.batch, .scale = options.scale}));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  const auto module = std::make_shared<const ValidModule>(std::move(valid));
  const double enough_ms = 4 * options.turns.turn_ms * options.turns.rounds;  // whole runs are few
  Json row = {{"work", network.work}, {"batch", network.batch}};
  {
    const auto timed = std::make_shared<TimedDevice>(device);
    ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module, timed));
    ASSIGN_OR_RETURN(const Latency latency, MeasureLatency(*plan, *timed, enough_ms));
    const auto add = [&](const char* name, const Samples& samples) {
      row[name] = {{"min", samples.min()}, {"median", samples.median()}};
    };
    add("wall_ms", latency.wall);
    add("device_ms", latency.device);
    add("kernels_ms", latency.kernels);
    add("start_ms", latency.start);
    std::vector<std::string> kernels;
    for (const RecordedLaunch& launch : timed->launches()) kernels.emplace_back(cuda::NameOf(launch.kernel));
    row["launches"] = kernels.size();
    row["kernels"] = CountKernels(kernels);
    const std::vector<std::string> steps = plan->kernels();
    row["host_steps"] = std::ranges::count_if(steps, [](const auto& s) { return s.ends_with("_reference"); });
    const int chain = std::max(1, static_cast<int>(kernels.size()));
    ASSIGN_OR_RETURN(const double seconds, MeasureEmptyLaunch(*device, chain));
    row["empty_launches_ms"] = 1e3 * seconds * chain;
    const double tops = 2e-9 * static_cast<double>(work.multiply_accumulates) / latency.kernels.min();
    row["tops"] = tops;
    row["of_peak"] = tops / peak.tops;
  }
  ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module, device));
  for (const int callers : kCallers) {
    ASSIGN_OR_RETURN(const double rate, MeasureThroughput(*plan, callers, enough_ms));
    row["items_per_second"].push_back(
        {{"callers", callers}, {"rate", rate * static_cast<double>(network.batch)}});
  }
  return row;
}

void PrintNetwork(const Json& row) {
  const auto least = [&](const char* name) { return row[name]["min"].get<double>(); };
  std::printf("%-24s %5d %9.4f %9.4f %9.4f %8.1f %8.1f %8.2f %6.1f%%", row["work"].get<std::string>().c_str(),
              row["batch"].get<int>(), least("wall_ms"), least("device_ms"), least("kernels_ms"),
              1e3 * least("start_ms"), 1e3 * row["empty_launches_ms"].get<double>(),
              row["tops"].get<double>(), 100 * row["of_peak"].get<double>());
  for (const Json& rate : row["items_per_second"]) std::printf(" %9.1f", rate["rate"].get<double>());
  std::printf(" %4d  %s\n", row["host_steps"].get<int>(), row["kernels"].get<std::string>().c_str());
  std::fflush(stdout);
}

}  // namespace

std::span<const NetworkShape> ReportedNetworks() {
  static const NetworkShape networks[] = {{"resnet50", 1},     {"resnet50", 8},     {"resnet50", 64},
                                          {"bert_layer", 1},   {"bert_layer", 8},   {"bert_layer", 64},
                                          {"mobilenet_v2", 1}, {"mobilenet_v2", 64}};
  return networks;
}

std::span<const NetworkShape> ReportedLayers() {
  static const std::vector<NetworkShape> layers = [] {
    std::vector<NetworkShape> all;
    for (const WorkInfo& info : AllWorks()) {
      if (!info.network) all.push_back({std::string(info.name), 1});
    }
    return all;
  }();
  return layers;
}

absl::StatusOr<Json> MeasureNetworks(const std::shared_ptr<cuda::Device>& device,
                                     std::span<const NetworkShape> networks, const DevicePeak& peak,
                                     const ReportOptions& options) {
  std::printf("\n%-24s %5s %9s %9s %9s %8s %8s %8s %7s", "work", "batch", "wall ms", "device ms", "kernels",
              "start us", "empty us", "TOPS", "of peak");
  for (const int callers : kCallers) std::printf(" items/s %d", callers);
  std::printf(" host  kernels\n");
  Json rows = Json::array();
  for (const NetworkShape& network : networks) {
    if (network.work.find(options.only) == std::string::npos) continue;
    ASSIGN_OR_RETURN(const Json row, MeasureNetwork(device, network, peak, options));
    PrintNetwork(row);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tally::bench
