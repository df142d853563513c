#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hash/sha256.h"
#include "base/status_macros.h"
#include "bench/cuda/gemm_contender.h"
#include "bench/cuda/report.h"
#include "bench/cuda/result_check.h"
#include "bench/harness/tally_contender.h"

namespace tally::bench {
namespace {

Json TimesOf(const Samples& samples) { return {{"min", samples.min()}, {"median", samples.median()}}; }

// The row of one case in one form.
class LinearRow {
 public:
  LinearRow(cuda::Device& device, const LinearCase& measured, const LinearProblem& problem, ResultForm form,
            const ReportOptions& options)
      : device_(device),
        problem_(problem),
        form_(form),
        options_(options),
        repetitions_(Repetitions::Cold(problem.bytes(form), options.rotated_bytes, options.repetitions)) {
    row_ = {{"group", measured.group}, {"name", measured.name},
            {"count", measured.count}, {"form", form == ResultForm::kAccumulators ? "i32" : "i8"},
            {"m", problem.rows()},     {"k", problem.depth()},
            {"n", problem.columns()},  {"copies", repetitions_.copies}};
    row_["cold"] = repetitions_.copies * problem.bytes(form) >= options.rotated_bytes;
  }

  absl::StatusOr<Json> Measure(const DevicePeak& peak) {
    ASSIGN_OR_RETURN(const auto ours,
                     GemmContender::Create(device_, problem_, form_, device_.info().arch, repetitions_));
    row_["kernels"] = CountKernels(ours->kernels());
    ASSIGN_OR_RETURN(const std::vector<uint8_t> result, FirstResult(*ours));
    Expect("", WrongSample(problem_, form_, result));
    row_["sha256"] = ToHex(Sha256Hash(result));
    RETURN_IF_ERROR(CompareOlderKernels(result));
    std::vector<Contender*> contenders = {ours.get()};
    ASSIGN_OR_RETURN(const auto theirs, Peer(result));
    if (theirs != nullptr) contenders.push_back(theirs.get());
    TurnOptions turns = options_.turns;
    turns.turn_ms /= repetitions_.count;  // a run is that many
    ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, turns));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> last, ours->Result(repetitions_.copies - 1));
    Expect("after the last run: ", Difference(problem_, form_, last, result, 0));
    AddTimes(samples, peak);
    return std::move(row_);
  }

 private:
  static absl::StatusOr<std::vector<uint8_t>> FirstResult(GemmContender& contender) {
    RETURN_IF_ERROR(contender.Run(1, Clock::kWall).status());
    return contender.Result();
  }

  void Expect(const char* where, const std::string& wrong) {
    if (!wrong.empty()) row_["wrong"].push_back(absl::StrCat(where, wrong));
  }

  absl::Status CompareOlderKernels(const std::vector<uint8_t>& result) {
    if (device_.info().arch == cuda::Arch::kSm80) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto older, GemmContender::Create(device_, problem_, form_, cuda::Arch::kSm80,
                                                             {.count = 1, .copies = 1}));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> theirs, FirstResult(*older));
    Expect("beside kernels for sm_80: ", Difference(problem_, form_, result, theirs, 0));
    return absl::OkStatus();
  }

  // Null where there is none.
  absl::StatusOr<std::unique_ptr<CublasLtContender>> Peer(const std::vector<uint8_t>& result) {
    if (options_.peer == nullptr) return nullptr;
    auto peer = CublasLtContender::Create(*options_.peer, device_, problem_, form_, options_.algorithms,
                                          repetitions_);
    if (absl::IsUnavailable(peer.status())) {
      row_["peer"] = {{"skipped", std::string(peer.status().message())}};
      return nullptr;
    }
    RETURN_IF_ERROR(peer.status());
    RETURN_IF_ERROR((*peer)->Run(1, Clock::kWall).status());
    ASSIGN_OR_RETURN(const std::vector<uint8_t> theirs, (*peer)->Result());
    row_["peer"] = {{"algorithms", (*peer)->algorithms()}};
    if (form_ == ResultForm::kCodes) row_["peer"]["scale_of_each_column"] = (*peer)->scales_columns();
    // Its scales are floats, and its ties go to even.
    if (form_ == ResultForm::kAccumulators || (*peer)->scales_columns()) {
      Expect("beside cublasLt: ",
             Difference(problem_, form_, result, theirs, form_ == ResultForm::kCodes ? 1 : 0));
    }
    return peer;
  }

  void AddTimes(const std::vector<Samples>& samples, const DevicePeak& peak) {
    const double ms = samples[0].min();
    row_["ms"] = TimesOf(samples[0]);
    row_["tops"] = 2e-9 * static_cast<double>(problem_.multiply_accumulates()) / ms;
    row_["of_peak"] = row_["tops"].get<double>() / peak.tops;
    if (options_.rated_tops > 0) row_["of_rated"] = row_["tops"].get<double>() / options_.rated_tops;
    row_["gb_per_second"] = 1e-6 * static_cast<double>(problem_.bytes(form_)) / ms;
    row_["of_bandwidth"] = row_["gb_per_second"].get<double>() / peak.read_gb_per_second;
    if (samples.size() < 2) return;
    row_["peer"]["ms"] = TimesOf(samples[1]);
    row_["ratio"] = {{"of_minima", samples[1].min() / ms},
                     {"of_medians", samples[1].median() / samples[0].median()}};
  }

  cuda::Device& device_;
  const LinearProblem& problem_;
  const ResultForm form_;
  const ReportOptions& options_;
  const Repetitions repetitions_;
  Json row_;
};

void PrintRow(const Json& row) {
  const bool peer = row.contains("ratio");
  const auto number = [](const Json& value, int digits) {
    return absl::StrFormat("%.*f", digits, value.get<double>());
  };
  std::printf("%-24s %-4s %10.4f %10.4f %8.2f %6.1f%% %6.1f%% %10s %7s %7s  %s%s\n",
              row["name"].get<std::string>().c_str(), row["form"].get<std::string>().c_str(),
              row["ms"]["min"].get<double>(), row["ms"]["median"].get<double>(), row["tops"].get<double>(),
              100 * row["of_peak"].get<double>(), 100 * row["of_bandwidth"].get<double>(),
              peer ? number(row["peer"]["ms"]["min"], 4).c_str() : "-",
              peer ? number(row["ratio"]["of_minima"], 3).c_str() : "-",
              peer ? number(row["ratio"]["of_medians"], 3).c_str() : "-",
              row["kernels"].get<std::string>().c_str(), row["cold"].get<bool>() ? "" : " (in caches)");
  if (row.contains("wrong")) {
    for (const Json& wrong : row["wrong"]) {
      std::printf("  WRONG: %s\n", wrong.get<std::string>().c_str());
    }
  }
  std::fflush(stdout);
}

// The totals of each group and form: its cases as often as a network has them. A group without all its peers
// has no total.
Json Totals(const Json& rows) {
  Json totals = Json::array();
  for (const Json& row : rows) {
    auto total = std::find_if(totals.begin(), totals.end(), [&](const Json& t) {
      return t["group"] == row["group"] && t["form"] == row["form"];
    });
    if (total == totals.end()) {
      totals.push_back({{"group", row["group"]}, {"form", row["form"]}, {"ms", 0.0}, {"peer_ms", 0.0}});
      total = totals.end() - 1;
    }
    const double count = row["count"].get<int>();
    (*total)["ms"] = (*total)["ms"].get<double>() + count * row["ms"]["median"].get<double>();
    if (!row.contains("ratio")) {
      total->erase("peer_ms");
    } else if (total->contains("peer_ms")) {
      (*total)["peer_ms"] =
          (*total)["peer_ms"].get<double>() + count * row["peer"]["ms"]["median"].get<double>();
    }
  }
  for (Json& total : totals) {
    std::printf("%-24s %-4s %10.4f ms of medians", total["group"].get<std::string>().c_str(),
                total["form"].get<std::string>().c_str(), total["ms"].get<double>());
    if (total.contains("peer_ms")) {
      total["ratio"] = total["peer_ms"].get<double>() / total["ms"].get<double>();
      std::printf(", cublasLt %.4f ms, ratio %.3f", total["peer_ms"].get<double>(),
                  total["ratio"].get<double>());
    }
    std::printf("\n");
  }
  return totals;
}

}  // namespace

absl::StatusOr<Json> MeasureLinear(cuda::Device& device, const LinearPart& part, const DevicePeak& peak,
                                   const ReportOptions& options) {
  std::printf("\n%s\n%-24s %-4s %10s %10s %8s %7s %7s %10s %7s %7s  kernels\n",
              std::string(part.summary).c_str(), "m x k x n", "form", "min ms", "median ms", "TOPS",
              "of peak", "of read", "cublasLt", "ratio", "medians");
  Json report = {{"rows", Json::array()}};
  for (const LinearCase& measured : part.cases()) {
    if (measured.group.find(options.only) == std::string::npos &&
        measured.name.find(options.only) == std::string::npos) {
      continue;
    }
    const LinearProblem problem(measured.shape);
    for (const ResultForm form : {ResultForm::kAccumulators, ResultForm::kCodes}) {
      ASSIGN_OR_RETURN(Json row, LinearRow(device, measured, problem, form, options).Measure(peak));
      PrintRow(row);
      report["rows"].push_back(std::move(row));
    }
  }
  if (part.totals) report["totals"] = Totals(report["rows"]);
  return report;
}

}  // namespace tally::bench
