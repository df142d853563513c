// What a GPU makes of Tally: run_cuda [--json FILE] [--part NAME...] [--rounds R] [--python python3]. Method:
// bench/README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "bench/cuda/report.h"
#include "bench/harness/machine.h"
#include "vm/engines/cuda/driver_device.h"

namespace tally::bench {
namespace {

struct Options : ReportOptions {
  std::string json, python, script = "bench/cuda/torch_int_mm.py";
  std::vector<std::string> parts = {"products", "networks", "operators"};

  bool Has(const char* part) const { return std::ranges::find(parts, part) != parts.end(); }
};

absl::StatusOr<Json> Report(const std::shared_ptr<cuda::Device>& device, const Options& options) {
  const std::string machine = DescribeMachine(DetectCpuFlags());
  std::printf("%sGPU:        %s, %.1f GiB\n", machine.c_str(), device->info().name.c_str(),
              static_cast<double>(device->info().memory_bytes) / (1 << 30));
  Json report = {{"machine", machine}, {"gpu", device->info().name}};
  ASSIGN_OR_RETURN(const DevicePeak peak, MeasureDevicePeak(*device, options));
  report["peak"] = {{"tops", peak.tops}, {"copy_gb_per_second", peak.copy_gb_per_second}};
  if (options.rated_tops > 0) report["rated_tops"] = options.rated_tops;
  if (options.Has("products")) {
    ASSIGN_OR_RETURN(report["products"], MeasureProducts(*device, ReportedProducts(), peak, options));
  }
  if (options.Has("networks")) {
    ASSIGN_OR_RETURN(report["networks"], MeasureNetworks(device, ReportedNetworks(), peak, options));
  }
  if (options.Has("operators")) {
    ASSIGN_OR_RETURN(report["operators"], MeasureOperators(*device, KernelCases(), options));
  }
  return report;
}

int Run(Options options) {
  const auto& device = cuda::DriverDevice();
  if (!device.ok()) {
    std::printf("SKIPPED: %s\n", std::string(device.status().message()).c_str());
    return 0;
  }
  if (!options.python.empty()) options.torch = {options.python, options.script};
  const absl::StatusOr<Json> report = Report(*device, options);
  if (!report.ok()) {
    std::fprintf(stderr, "cuda: %s\n", report.status().ToString().c_str());
    return 1;
  }
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << report->dump(2) << "\n";
  if (file.flush()) return 0;
  std::fprintf(stderr, "cuda: cannot write %s\n", options.json.c_str());
  return 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  CLI::App app("Measures kernels, operators and networks on this machine's GPU.");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--part", options.parts, "products, networks, operators; else all");
  app.add_option("--rounds", options.turns.rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--turn-ms", options.turns.turn_ms, "what each contender runs for in a round")
      ->capture_default_str();
  app.add_option("--rated-tops", options.rated_tops, "what the card's maker states for dense int8");
  app.add_option("--python", options.python, "a python with PyTorch, to run torch._int_mm beside");
  app.add_option("--script", options.script, "torch_int_mm.py")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return tally::bench::Run(std::move(options));
}
