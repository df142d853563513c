// The report on Tally's kernels on one device: tables on standard output, and the same as JSON. Method:
// bench/README.md.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/cuda/cublaslt_contender.h"
#include "bench/cuda/linear_cases.h"
#include "bench/harness/contender.h"
#include "bench/kernels/kernel_cases.h"
#include "engines/cuda/device.h"

namespace tally::bench {

using Json = nlohmann::ordered_json;

struct ReportOptions {
  TurnOptions turns = {.rounds = 5, .turn_ms = 10};
  int64_t scale = 1;                           // divides every size, to try the program out
  int repetitions = 20;                        // runs of a kernel between two marks of the clock, at least
  int64_t rotated_bytes = int64_t{256} << 20;  // that products take turns on; caches have 40 to 126 MiB
  double rated_tops = 0;           // the peak for dense int8 that the card's maker states, if it is known
  int algorithms = 32;             // the peer's, that are tried
  std::string only;                // cases whose group or name has this in it
  const CublasLt* peer = nullptr;  // or none
};

// The peaks of the device itself.
struct DevicePeak {
  double tops = 0;  // 10^12 operations a second of int8 products, by its fastest instruction
  double read_gb_per_second = 0;
  double copy_gb_per_second = 0;  // read and written bytes
};
absl::StatusOr<DevicePeak> MeasureDevicePeak(cuda::Device& device, const ReportOptions& options);

// Sums of products of bytes, stored as 32 bits and as rescaled 8 bits, with constant weights: beside cublasLt
// where there is one, and compared with it, with the host, with the kernels for sm_80, and with themselves. A
// row whose results are wrong has "wrong".
absl::StatusOr<Json> MeasureLinear(cuda::Device& device, const LinearPart& part, const DevicePeak& peak,
                                   const ReportOptions& options);

// Works of bench/models, from the caller's inputs to the caller's results.
struct NetworkShape {
  std::string work;
  int64_t batch;
};
std::span<const NetworkShape> ReportedNetworks();
std::span<const NetworkShape> ReportedLayers();  // single ones
absl::StatusOr<Json> MeasureNetworks(const std::shared_ptr<cuda::Device>& device,
                                     std::span<const NetworkShape> networks, const DevicePeak& peak,
                                     const ReportOptions& options);

// Where the time of a run goes: each of its launches by itself.
std::span<const NetworkShape> ProfiledNetworks();
absl::StatusOr<Json> MeasureProfiles(const std::shared_ptr<cuda::Device>& device,
                                     std::span<const NetworkShape> networks, const ReportOptions& options);

// Single operators beside a copy of as many bytes.
absl::StatusOr<Json> MeasureOperators(cuda::Device& device, std::span<const KernelCase> cases,
                                      const ReportOptions& options);

}  // namespace tally::bench
