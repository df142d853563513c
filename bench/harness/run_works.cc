// The time of Tally itself for each work: run_works [--engine cpu] [--threads N] [--work NAME...] [--rounds
// R] [--scale S].
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/harness/tally_contender.h"
#include "cli/profile/peak.h"
#include "engines/cpu_flags_of.h"
#include "vm/labels.h"

namespace tally::bench {
namespace {

void PrintPeak(const cli::Peak& peak, const char* unit) {
  std::printf("peak:       %-12s %8.1f %s\n", std::string(peak.name).c_str(), peak.giga_per_second, unit);
}

absl::Status RunWork(const std::string& name, const WorkOptions& options, const cli::Peak* peak) {
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

int RunAll(const WorkOptions& options) {
  const bool pinned = options.pin && PinTo(options.threads);
  const CpuFlags cpu = DetectCpuFlags();
  std::printf("%sthreads:    %d, %s\n", DescribeMachine(cpu).c_str(), options.threads,
              pinned ? "pinned" : "not pinned");
  const absl::StatusOr<CpuFlags> capped = CpuFlagsOf("");
  if (!capped.ok()) {
    std::printf("%s\n", std::string(capped.status().message()).c_str());
    return 1;
  }
  const std::vector<cli::Peak> peaks = cli::MeasurePeaks(*capped, options.threads);
  for (const cli::Peak& peak : peaks) PrintPeak(peak, "GOPS of 8-bit products in registers");
  PrintPeak(cli::MeasureRead(cpu, int64_t{1} << 20), "GB/s from 1 MiB");
  PrintPeak(cli::MeasureRead(cpu, int64_t{1} << 24), "GB/s from 16 MiB");
  PrintPeak(cli::MeasureCopy(int64_t{1} << 26), "GB/s of 64 MiB, read and written");
  const cli::Peak* peak = peaks.empty() ? nullptr : &peaks.back();
  std::printf("\n%-26s %10s %10s %9s %8s %9s  kernels of engine %s\n", "work", "min ms", "median ms", "GOPS",
              "of peak", "MiB moved", options.engine.c_str());
  int failures = 0;
  for (const std::string& name : options.works) {
    const absl::Status status = RunWork(name, options, peak);
    if (status.ok()) continue;
    ++failures;
    std::printf("%-26s %s\n", name.c_str(), std::string(status.message()).c_str());
    if (HasLabel(status, label::engine_unavailable)) break;  // so for every work
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::WorkOptions options;
  CLI::App app("Runs each work on one of Tally's engines.");
  tally::bench::AddWorkOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  return tally::bench::RunAll(options);
}
