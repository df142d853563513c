#include <cstdio>

#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/cuda/device_peak.h"
#include "bench/cuda/report.h"
#include "bench/cuda/resident_work.h"
#include "bench/harness/samples.h"
#include "ops/cuda/registry.h"

namespace tally::bench {
namespace {

constexpr int kTries = 9;

absl::StatusOr<Json> MeasureOperator(cuda::Device& device, const KernelCase& given, const DrawnCall& call,
                                     const ReportOptions& options) {
  Json row = {{"operator", InfoOf(given.op).name}, {"shape", given.name}};
  const auto prepared = cuda::SelectKernel(call.FactsIn(Layout::kRowMajor), device.info().arch);
  if (!prepared) return row;  // runs on the host
  std::vector<std::span<const uint8_t>> operands;
  std::vector<int64_t> results;
  int64_t bytes = 0;
  for (const Tensor& tensor : call.operands) {
    operands.push_back(tensor.bytes());
    bytes += static_cast<int64_t>(tensor.bytes().size());
  }
  for (const TensorType& type : call.result_types) {
    results.push_back(type.size_bytes());
    bytes += type.size_bytes();
  }
  ASSIGN_OR_RETURN(const auto work, ResidentWork::Create(device, prepared->work, operands, results,
                                                         {.count = options.repetitions, .copies = 1}));
  Samples samples;
  for (int i = 0; i < kTries; ++i) {
    ASSIGN_OR_RETURN(const double ms, work->Run());
    samples.Add({ms});
  }
  // As many bytes by a copy under the same conditions: both may find them in a cache.
  ASSIGN_OR_RETURN(const double rate, MeasureCopyRate(device, std::max<int64_t>(bytes / 2, 16)));
  const double copy_ms = 1e3 * static_cast<double>(bytes) / rate;
  row["row"] = prepared->entry->name;
  row["bytes"] = bytes;
  row["ms"] = {{"min", samples.min()}, {"median", samples.median()}};
  row["copy_ms"] = copy_ms;
  row["of_copy"] = samples.min() / copy_ms;
  return row;
}

}  // namespace

absl::StatusOr<Json> MeasureOperators(cuda::Device& device, std::span<const KernelCase> cases,
                                      const ReportOptions& options) {
  std::printf("\n%-24s %-30s %10s %10s %10s %8s\n", "operator", "shape", "MiB", "min ms", "copy ms",
              "copies");
  Json rows = Json::array();
  for (const KernelCase& given : cases) {
    const auto call = CallOfCase(given);
    if (call == nullptr) return absl::InternalError(absl::StrCat("case ", given.name, " is not valid"));
    ASSIGN_OR_RETURN(const Json row, MeasureOperator(device, given, *call, options));
    const std::string name(InfoOf(given.op).name);
    if (row.contains("ms")) {
      std::printf("%-24s %-30s %10.3f %10.4f %10.4f %8.2f\n", name.c_str(), given.name.c_str(),
                  row["bytes"].get<double>() / (1 << 20), row["ms"]["min"].get<double>(),
                  row["copy_ms"].get<double>(), row["of_copy"].get<double>());
    } else {
      std::printf("%-24s %-30s on the host: no row takes it\n", name.c_str(), given.name.c_str());
    }
    std::fflush(stdout);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tally::bench
