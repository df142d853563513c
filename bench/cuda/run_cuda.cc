// Measures Tally on a GPU: run_cuda [--json FILE] [--part NAME...] [--only TEXT] [--quick]. Method:
// bench/README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "bench/cuda/report.h"
#include "bench/harness/machine.h"
#include "engines/cuda/driver_device.h"

namespace tally::bench {
namespace {

struct Options : ReportOptions {
  std::string json, cublaslt;
  std::vector<std::string> parts;
  bool quick = false;

  bool Has(std::string_view part) const {
    return parts.empty() || std::ranges::find(parts, part) != parts.end();
  }
};

std::vector<std::string> PartNames() {
  std::vector<std::string> names = {"networks", "layers", "profile", "operators"};
  for (const LinearPart& part : LinearParts()) names.emplace_back(part.name);
  return names;
}

// Null, and a line that says why, where there is none.
std::unique_ptr<CublasLt> OpenPeer(cuda::Device& device, const std::string& path) {
  const auto open = [&]() -> absl::StatusOr<std::unique_ptr<CublasLt>> {
    ASSIGN_OR_RETURN(const CublasLtApi api, LoadCublasLt(path));
    return CublasLt::Open(api, device);
  };
  auto peer = open();
  std::printf("cublasLt:   %s\n", peer.ok() ? (*peer)->version().c_str()
                                            : absl::StrCat("skipped: ", peer.status().message()).c_str());
  return peer.ok() ? *std::move(peer) : nullptr;
}

// The report so far, so that a part that fails leaves the others.
absl::Status Write(const Json& report, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path);
  file << report.dump(2) << "\n";
  if (file.flush()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

int CountWrong(const Json& rows) {
  return static_cast<int>(std::ranges::count_if(rows, [](const Json& row) { return row.contains("wrong"); }));
}

// Returns how many rows have wrong results.
absl::StatusOr<int> Report(const std::shared_ptr<cuda::Device>& device, Options& options) {
  const std::string machine = DescribeMachine(DetectCpuFlags());
  std::printf("%sGPU:        %s, %.1f GiB\n", machine.c_str(), device->info().name.c_str(),
              static_cast<double>(device->info().memory_bytes) / (1 << 30));
  const std::unique_ptr<CublasLt> peer = OpenPeer(*device, options.cublaslt);
  options.peer = peer.get();
  Json report = {{"machine", machine}, {"gpu", device->info().name}};
  report["cublasLt"] = peer == nullptr ? Json() : Json(peer->version());
  if (options.rated_tops > 0) report["rated_tops"] = options.rated_tops;
  ASSIGN_OR_RETURN(const DevicePeak peak, MeasureDevicePeak(*device, options));
  report["peak"] = {{"tops", peak.tops},
                    {"read_gb_per_second", peak.read_gb_per_second},
                    {"copy_gb_per_second", peak.copy_gb_per_second}};
  int wrong = 0;
  for (const LinearPart& part : LinearParts()) {
    if (!options.Has(part.name)) continue;
    ASSIGN_OR_RETURN(Json measured, MeasureLinear(*device, part, peak, options));
    wrong += CountWrong(measured["rows"]);
    report[part.name] = std::move(measured);
    RETURN_IF_ERROR(Write(report, options.json));
  }
  for (const auto& [name, networks] :
       {std::pair("networks", ReportedNetworks()), std::pair("layers", ReportedLayers())}) {
    if (!options.Has(name)) continue;
    ASSIGN_OR_RETURN(report[name], MeasureNetworks(device, networks, peak, options));
    RETURN_IF_ERROR(Write(report, options.json));
  }
  if (options.Has("profile")) {
    ASSIGN_OR_RETURN(report["profile"], MeasureProfiles(device, ProfiledNetworks(), options));
    RETURN_IF_ERROR(Write(report, options.json));
  }
  if (options.Has("operators")) {
    ASSIGN_OR_RETURN(report["operators"], MeasureOperators(*device, KernelCases(), options));
    RETURN_IF_ERROR(Write(report, options.json));
  }
  return wrong;
}

int Run(Options options) {
  const auto& device = cuda::DriverDevice();
  if (!device.ok()) {
    std::printf("SKIPPED: %s\n", std::string(device.status().message()).c_str());
    return 0;
  }
  if (options.quick) {
    options.turns = {.rounds = 3, .turn_ms = 4};
    options.algorithms = 8;
  }
  const absl::StatusOr<int> wrong = Report(*device, options);
  if (!wrong.ok()) {
    std::fprintf(stderr, "cuda: %s\n", wrong.status().ToString().c_str());
    return 1;
  }
  if (*wrong > 0) std::fprintf(stderr, "cuda: wrong results in %d rows\n", *wrong);
  return *wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  CLI::App app("Measures kernels, operators and networks on this machine's GPU.");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--part", options.parts, "one or more of these; else all")
      ->check(CLI::IsMember(tally::bench::PartNames()));
  app.add_option("--only", options.only, "works with this in their name or group");
  app.add_flag("--quick", options.quick, "3 short rounds, 8 algorithms of the peer");
  app.add_option("--rounds", options.turns.rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--turn-ms", options.turns.turn_ms, "what each contender runs for in a round")
      ->capture_default_str();
  app.add_option("--rated-tops", options.rated_tops, "what the card's maker states for dense int8");
  app.add_option("--cublaslt", options.cublaslt,
                 "libcublasLt.so.13 or .12; else the first in the usual places");
  CLI11_PARSE(app, argc, argv);
  return tally::bench::Run(std::move(options));
}
