#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/status_macros.h"
#include "bench/cuda/callers.h"
#include "bench/cuda/repeated_graph.h"
#include "bench/cuda/report.h"
#include "bench/cuda/timed_device.h"
#include "bench/models/works.h"
#include "engines/cuda/cuda_engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

// Milliseconds of one launch after another of the same, on the memory that the run left. What they compute
// is of no use.
absl::StatusOr<double> MeasureAlone(cuda::Stream& stream, const RecordedLaunch& launch, int repetitions) {
  constexpr int kTries = 2;
  ASSIGN_OR_RETURN(const auto graph, RepeatedGraph::Record(stream, repetitions, [&](int) {
                     return stream.Launch(launch.kernel, launch.shape, launch.memory, launch.params);
                   }));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    ASSIGN_OR_RETURN(const double ms, graph->Run());
    best = std::min(best, ms);
  }
  return best;
}

absl::StatusOr<Json> MeasureProfile(const std::shared_ptr<cuda::Device>& device, const NetworkShape& network,
                                    const ReportOptions& options) {
  constexpr int kRuns = 5;
  ASSIGN_OR_RETURN(Work work, BuildWork(network.work, {.batch = network.batch, .scale = options.scale}));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  const auto timed = std::make_shared<TimedDevice>(device);
  ASSIGN_OR_RETURN(const auto plan,
                   MakeCudaPlan(std::make_shared<const ValidModule>(std::move(valid)), timed));
  Caller caller(*plan, 1);
  double together = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    timed->Take();
    RETURN_IF_ERROR(caller.Run());
    together = std::min(together, timed->Take().kernels);
  }
  ASSIGN_OR_RETURN(const auto stream, device->NewStream());
  Json launches = Json::array();
  double alone = 0;
  for (const RecordedLaunch& launch : timed->launches()) {
    ASSIGN_OR_RETURN(const double ms, MeasureAlone(*stream, launch, options.repetitions));
    alone += ms;
    launches.push_back({{"kernel", cuda::NameOf(launch.kernel)},
                        {"grid", {launch.shape.grid.x, launch.shape.grid.y, launch.shape.grid.z}},
                        {"ms", ms}});
  }
  return Json{{"work", network.work},
              {"batch", network.batch},
              {"kernels_ms", together},
              {"alone_ms", alone},
              {"launches", std::move(launches)}};
}

void Print(const Json& profile) {
  struct Share {
    std::string kernel;
    int count;
    double ms;
  };
  std::vector<Share> shares;
  for (const Json& launch : profile["launches"]) {
    const std::string kernel = launch["kernel"];
    auto share = std::ranges::find(shares, kernel, &Share::kernel);
    if (share == shares.end()) share = shares.insert(shares.end(), {kernel, 0, 0});
    ++share->count;
    share->ms += launch["ms"].get<double>();
  }
  std::ranges::sort(shares, std::greater(), &Share::ms);
  const double alone = profile["alone_ms"];
  std::printf("\n%s, batch %d: %.4f ms in a run, %.4f ms as the sum of its launches, each repeated\n",
              profile["work"].get<std::string>().c_str(), profile["batch"].get<int>(),
              profile["kernels_ms"].get<double>(), alone);
  for (const Share& share : shares) {
    std::printf("%-32s x %-4d %10.4f ms %6.1f%%\n", share.kernel.c_str(), share.count, share.ms,
                100 * share.ms / alone);
  }
  std::fflush(stdout);
}

}  // namespace

std::span<const NetworkShape> ProfiledNetworks() {
  static const NetworkShape networks[] = {
      {"resnet50", 1}, {"resnet50", 64}, {"bert_layer", 1}, {"bert_layer", 64}, {"mobilenet_v2", 64}};
  return networks;
}

absl::StatusOr<Json> MeasureProfiles(const std::shared_ptr<cuda::Device>& device,
                                     std::span<const NetworkShape> networks, const ReportOptions& options) {
  Json profiles = Json::array();
  for (const NetworkShape& network : networks) {
    if (network.work.find(options.only) == std::string::npos) continue;
    ASSIGN_OR_RETURN(Json profile, MeasureProfile(device, network, options));
    Print(profile);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace tally::bench
