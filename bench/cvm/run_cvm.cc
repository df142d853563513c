// CVM's networks on one of Tally's engines: run_cvm [--threads N...] [--network NAME...] [--rounds R] [--json
// FILE].
// Method: bench/README.md.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "bench/cvm/cvm_models.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/harness/tally_contender.h"
#include "frontends/cvm/import_cvm.h"

namespace tally::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options : RunOptions {
  std::vector<int> threads = {1, 2};
  std::vector<std::string> networks;
  std::string json;
};

// The network through its own format, as a node would load it.
absl::StatusOr<Work> Import(const CvmNetwork& network, const ModelOptions& options) {
  const Cnn net = network.build(options);
  ASSIGN_OR_RETURN(const cvm::ModelFiles files, CnnToCvmFiles(net));
  ASSIGN_OR_RETURN(const cvm::ImportedModel model, cvm::ImportCvm(files.graph, files.params));
  return Work{.name = std::string(network.name),
              .network = true,
              .module = model.module.module(),
              .multiply_accumulates = MultiplyAccumulates(net)};
}

absl::Status RunNetwork(const CvmNetwork& network, const Options& options, Json& rows) {
  ASSIGN_OR_RETURN(const Work work, Import(network, options.model));
  std::vector<std::unique_ptr<TallyContender>> owned;
  std::vector<Contender*> contenders;
  for (const int threads : options.threads) {
    Work own = work;
    ASSIGN_OR_RETURN(auto contender, TallyContender::Create(options.engine, threads, own));
    contenders.push_back(contender.get());
    owned.push_back(std::move(contender));
  }
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  const double gop = 2e-9 * static_cast<double>(work.multiply_accumulates);
  for (size_t i = 0; i < samples.size(); ++i) {
    const double min = samples[i].min(), median = samples[i].median();
    const double gops = 1e3 * gop / min;
    std::printf("%-14s %8d %10.3f %10.3f %9.1f  %s\n", work.name.c_str(), options.threads[i], min, median,
                gops, CountKernels(contenders[i]->kernels()).c_str());
    std::fflush(stdout);
    rows.push_back({{"network", work.name},
                    {"threads", options.threads[i]},
                    {"gop", gop},
                    {"ms", {{"min", min}, {"median", median}}},
                    {"gops_of_min", gops},
                    {"kernels", contenders[i]->kernels()}});
  }
  return absl::OkStatus();
}

int RunAll(const Options& options) {
  const bool pinned = options.pin && PinTo(*std::ranges::max_element(options.threads));
  const std::string machine = DescribeMachine(DetectCpuFlags());
  std::printf("%s%s\n\n%-14s %8s %10s %10s %9s  kernels of engine %s\n", machine.c_str(),
              pinned ? "pinned" : "not pinned", "network", "threads", "min ms", "median ms", "GOPS",
              options.engine.c_str());
  Json rows = Json::array();
  for (const CvmNetwork& network : kCvmNetworks) {
    const bool asked = options.networks.empty() || std::ranges::count(options.networks, network.name) > 0;
    if (!asked) continue;
    if (const absl::Status status = RunNetwork(network, options, rows); !status.ok()) {
      std::fprintf(stderr, "run_cvm: %s: %s\n", std::string(network.name).c_str(),
                   std::string(status.message()).c_str());
      return 1;
    }
  }
  if (options.json.empty()) return 0;
  const Json document = {{"machine", machine},
                         {"engine", options.engine},
                         {"pinned", pinned},
                         {"rounds", options.turns.rounds},
                         {"clock", options.turns.clock == Clock::kWall ? "wall" : "processor"},
                         {"results", rows}};
  std::ofstream file(options.json);
  file << document.dump(2) << "\n";
  if (file.flush()) return 0;
  std::fprintf(stderr, "run_cvm: cannot write %s\n", options.json.c_str());
  return 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  std::vector<std::string> names;
  for (const auto& network : tally::bench::kCvmNetworks) names.emplace_back(network.name);
  CLI::App app("Runs networks in CVM's format on one of Tally's engines.");
  tally::bench::AddRunOptions(app, options);
  app.add_option("--threads", options.threads, "numbers, which take turns")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--network", options.networks, "names, else all")->check(CLI::IsMember(names));
  app.add_option("--json", options.json, "write the results here");
  app.final_callback(
      [&options] { tally::bench::RefuseProcessorTime(options, *std::ranges::max_element(options.threads)); });
  CLI11_PARSE(app, argc, argv);
  return tally::bench::RunAll(options);
}
