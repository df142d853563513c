// What Tally itself takes for each work: run_works [--engine cpu] [--threads N] [--work NAME...] [--rounds R] [--scale S].
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "bench/harness/machine.h"
#include "bench/harness/peak.h"
#include "bench/harness/tally_contender.h"

namespace tally::bench {
namespace {

struct Options {
  std::string engine = "cpu";
  int threads = 1;
  bool pin = true;
  TurnOptions turns;
  ModelOptions model;
  std::vector<std::string> works;
};

void PrintPeak(const Peak& peak, const char* unit) {
  std::printf("peak:       %-12s %8.1f %s\n", std::string(peak.name).c_str(), peak.giga_per_second, unit);
}

absl::Status RunWork(const std::string& name, const Options& options, const Peak* peak) {
  ASSIGN_OR_RETURN(Work work, BuildWork(name, options.model));
  ASSIGN_OR_RETURN(const auto ours, TallyContender::Create(options.engine, options.threads, work));
  Contender* const contenders[] = {ours.get()};
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  const double ms = samples[0].min();
  const double gops = 2e-6 * static_cast<double>(work.multiply_accumulates) / ms;
  std::printf("%-26s %10.4f %10.4f %9.1f %7.1f%% %9.2f  %s\n", name.c_str(), ms, samples[0].median(), gops,
              peak == nullptr ? 0 : 100 * gops / peak->giga_per_second,
              static_cast<double>(BytesMoved(ours->plan().module())) / (1 << 20),
              CountKernels(ours->kernels()).c_str());
  std::fflush(stdout);
  return absl::OkStatus();
}

int RunAll(const Options& options) {
  const bool pinned = options.pin && PinTo(options.threads);
  const CpuFlags cpu = DetectCpuFlags();
  std::printf("%sthreads:    %d, %s\n", DescribeMachine(cpu).c_str(), options.threads,
              pinned ? "pinned" : "not pinned");
  const std::vector<Peak> peaks = MeasurePeaks(cpu, options.threads);
  for (const Peak& peak : peaks) PrintPeak(peak, "GOPS of 8-bit products in registers");
  PrintPeak(MeasureRead(cpu, int64_t{1} << 20), "GB/s from 1 MiB");
  PrintPeak(MeasureRead(cpu, int64_t{1} << 24), "GB/s from 16 MiB");
  PrintPeak(MeasureCopy(int64_t{1} << 26), "GB/s of 64 MiB, read and written");
  const Peak* peak = PeakForEngine(peaks, TilesAllowed());
  std::printf("\n%-26s %10s %10s %9s %8s %9s  kernels of engine %s\n", "work", "min ms", "median ms", "GOPS",
              "of peak", "MiB moved", options.engine.c_str());
  int failures = 0;
  for (const std::string& name : options.works) {
    const absl::Status status = RunWork(name, options, peak);
    if (status.ok()) continue;
    ++failures;
    std::printf("%-26s %s\n", name.c_str(), std::string(status.message()).c_str());
    if (ErrorLabel(status) == "engine_unavailable") break;  // so for every work
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  bool processor_time = false;
  CLI::App app("Runs each work on one of Tally's engines.");
  app.add_option("--engine", options.engine, "cpu or reference")->capture_default_str();
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--rounds", options.turns.rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--turn-ms", options.turns.turn_ms, "what a round runs each work for")
      ->capture_default_str();
  app.add_flag("--processor-time", processor_time,
               "of one thread, for a busy machine; else the clock on the wall");
  app.add_flag("!--no-pin", options.pin, "let the system move threads between processors");
  app.add_option("--batch", options.model.batch)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--scale", options.model.scale, "divides every size, to try the program out")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--work", options.works, "names, else all");
  CLI11_PARSE(app, argc, argv);
  if (processor_time && options.threads > 1) {
    std::fprintf(stderr, "--processor-time is of one thread\n");
    return 2;
  }
  if (processor_time) options.turns.clock = tally::bench::Clock::kProcessor;
  if (options.works.empty()) {
    for (const auto& info : tally::bench::AllWorks()) options.works.emplace_back(info.name);
  }
  return tally::bench::RunAll(options);
}
