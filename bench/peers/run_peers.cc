// Tally and its peers on the same works, interleaved in one run: run_peers --json FILE [--threads N] [--work
// NAME...] [--rounds R]. Method: bench/README.md.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/harness/tally_contender.h"
#include "bench/peers/onednn_contender.h"
#include "bench/peers/onnx_runtime_contender.h"
#include "cli/profile/peak.h"
#include "engines/cpu_flags_of.h"

namespace tally::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options : WorkOptions {
  std::string json;
  OnnxRuntimeOptions onnx_runtime;
};

// ONNX Runtime cannot be capped. Its library of kernels (MLAS) asks the processor, in this order, what its
// products of bytes run on.
std::string InstructionsOfOnnxRuntime(CpuFlags machine) {
  for (const CpuFlag flag : {CpuFlag::kAmxInt8, CpuFlag::kAvx512Vnni, CpuFlag::kAvxVnni, CpuFlag::kAvx512,
                             CpuFlag::kAvx2, CpuFlag::kI8mm, CpuFlag::kDotProd, CpuFlag::kNeon}) {
    if (machine.Has(flag)) return CpuFlagsToString(CpuFlags().With(flag));
  }
  return "none of these";
}

// With several threads a peer's workers spin for a while when their turn is over: those of ONNX Runtime look
// for work about a million times, with a pause of 140 cycles between, and would take a processor from whoever
// has the next turn.
constexpr double kPauseMs = 120;

class Report {
 public:
  explicit Report(const Options& options) : options_(options) {}

  // A missing peer is reported once.
  void Skip(const std::string& who, const absl::Status& why) {
    if (!said_.insert(absl::StrCat(who, why.message())).second) return;
    std::printf("  %s skipped: %s\n", who.c_str(), std::string(why.message()).c_str());
  }

  // `ours` may be null, where the engine is not in this build; a peer's time then is alone.
  void Add(const Work& work, const Contender* ours, const Samples* our_times, const Contender& theirs,
           const Samples& their_times) {
    Json row = {{"work", work.name},
                {"peer", theirs.name()},
                {"threads", options_.threads},
                {"engine", options_.engine}};
    const bool part = theirs.name().starts_with("onednn") && work.network;
    row["peer_covers"] = part ? "convolutions and products" : "all";
    row["gop"] = 2e-9 * static_cast<double>(work.multiply_accumulates);
    row["theirs_ms"] = {{"min", their_times.min()}, {"median", their_times.median()}};
    if (ours != nullptr) {
      row["ours_ms"] = {{"min", our_times->min()}, {"median", our_times->median()}};
      row["ratio"] = {{"of_minima", their_times.min() / our_times->min()},
                      {"of_medians", their_times.median() / our_times->median()}};
      row["our_kernels"] = ours->kernels();
    }
    row["their_kernels"] = theirs.kernels();
    rows_.push_back(row);
    const auto number = [](const Json& row, const char* group, const char* key) {
      char text[32] = "-";
      if (row.contains(group)) std::snprintf(text, sizeof text, "%.4f", row[group][key].get<double>());
      return std::string(text);
    };
    std::printf("%-26s %-24s %10s %10s %10s %10s %8s %8s%s\n", work.name.c_str(), theirs.name().c_str(),
                number(row, "ours_ms", "min").c_str(), number(row, "ours_ms", "median").c_str(),
                number(row, "theirs_ms", "min").c_str(), number(row, "theirs_ms", "median").c_str(),
                number(row, "ratio", "of_minima").substr(0, 5).c_str(),
                number(row, "ratio", "of_medians").substr(0, 5).c_str(), part ? "  (part of the work)" : "");
    std::fflush(stdout);
  }

  const Json& rows() const { return rows_; }

 private:
  const Options& options_;
  std::set<std::string> said_;
  Json rows_ = Json::array();
};

absl::Status RunWork(const std::string& name, const Options& options, CpuFlags cpu, Report& report) {
  ASSIGN_OR_RETURN(Work work, BuildWork(name, options.model));
  std::vector<std::unique_ptr<Contender>> contenders;
  auto ours = TallyContender::Create(options.engine, options.threads, work);
  const bool have_ours = ours.ok();
  if (have_ours) {
    contenders.push_back(*std::move(ours));
  } else {
    report.Skip("tally", ours.status());
  }
  for (const bool is_signed : {false, true}) {
    auto onednn =
        MakeOneDnnContender({.signed_activations = is_signed, .threads = options.threads, .cpu = cpu}, work);
    if (onednn.ok()) {
      contenders.push_back(*std::move(onednn));
    } else {
      report.Skip("oneDNN", onednn.status());
    }
  }
  OnnxRuntimeOptions onnx_runtime = options.onnx_runtime;
  onnx_runtime.threads = options.threads;
  auto onnx = OnnxRuntimeContender::Create(onnx_runtime, work);
  if (onnx.ok()) {
    contenders.push_back(*std::move(onnx));
  } else {
    // The refusal of a work that it has no model for, or altogether.
    const bool this_work = onnx.status().code() == absl::StatusCode::kUnimplemented;
    report.Skip(this_work ? absl::StrCat("ONNX Runtime for ", name) : "ONNX Runtime", onnx.status());
  }
  std::vector<Contender*> turns;
  for (const auto& contender : contenders) turns.push_back(contender.get());
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(turns, options.turns));
  for (size_t i = have_ours ? 1 : 0; i < turns.size(); ++i) {
    report.Add(work, have_ours ? turns[0] : nullptr, have_ours ? &samples[0] : nullptr, *turns[i],
               samples[i]);
  }
  return absl::OkStatus();
}

int RunAll(const Options& options) {
  const bool pinned = options.pin && PinTo(options.threads);
  const CpuFlags cpu = DetectCpuFlags();
  const std::string machine = DescribeMachine(cpu);
  std::printf("%sthreads:    %d, %s\nrounds:     %d of about %.0f ms for each contender, by the clock %s\n",
              machine.c_str(), options.threads, pinned ? "pinned" : "not pinned", options.turns.rounds,
              options.turns.turn_ms,
              options.turns.clock == Clock::kWall ? "on the wall" : "of the processor");
  const absl::StatusOr<CpuFlags> capped = CpuFlagsOf("");
  if (!capped.ok()) {
    std::fprintf(stderr, "peers: %s\n", std::string(capped.status().message()).c_str());
    return 1;
  }
  const std::string unlimited = InstructionsOfOnnxRuntime(cpu);
  std::printf("may use:    Tally and oneDNN %s; ONNX Runtime what it finds, %s\n",
              CpuFlagsToString(*capped).c_str(), unlimited.c_str());
  Json peaks = Json::object();
  for (const cli::Peak& peak : cli::MeasurePeaks(*capped, options.threads)) {
    std::printf("peak:       %-12s %8.1f GOPS of 8-bit products in registers\n",
                std::string(peak.name).c_str(), peak.giga_per_second);
    peaks[std::string(peak.name)] = peak.giga_per_second;
  }
  std::printf("\n%-26s %-24s %10s %10s %10s %10s %8s %8s\n", "work", "peer", "ours min", "median",
              "theirs min", "median", "of min", "of med");
  Report report(options);
  int failures = 0;
  for (const std::string& name : options.works) {
    const absl::Status status = RunWork(name, options, *capped, report);
    if (status.ok()) continue;
    ++failures;
    std::printf("%-26s %s\n", name.c_str(), std::string(status.message()).c_str());
  }
  if (!options.json.empty()) {
    const Json document = {{"machine", machine},
                           {"threads", options.threads},
                           {"pinned", pinned},
                           {"may_use",
                            {{"tally", CpuFlagsToString(*capped)},
                             {"onednn", CpuFlagsToString(*capped)},
                             {"onnxruntime", unlimited}}},
                           {"rounds", options.turns.rounds},
                           {"clock", options.turns.clock == Clock::kWall ? "wall" : "processor"},
                           {"peak_gops", peaks},
                           {"results", report.rows()}};
    std::ofstream file(options.json);
    file << document.dump(2) << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "peers: cannot write %s\n", options.json.c_str());
      return 1;
    }
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  CLI::App app("Runs Tally and its peers on the same works, interleaved.");
  tally::bench::AddWorkOptions(app, options);
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--onnxruntime", options.onnx_runtime.package,
                 "the folder of the npm package onnxruntime-node");
  CLI11_PARSE(app, argc, argv);
  if (options.threads > 1) options.turns.pause_ms = tally::bench::kPauseMs;
  return tally::bench::RunAll(options);
}
