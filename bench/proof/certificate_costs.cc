#include "bench/proof/certificate_costs.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/proof/judged_together.h"
#include "engines/engine.h"
#include "proof/certificate/certificate.h"
#include "proof/certificate/check_certificate.h"
#include "proof/dispute/play.h"
#include "serializer/tensor_digest.h"

namespace tally::bench {
namespace {

constexpr int kChecks = 5;

double Milliseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

double CheckMs(std::span<const uint8_t> certificate) {
  std::vector<double> times;
  for (int i = 0; i < kChecks; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (!CheckCertificate<TrappingInt>(certificate).ok()) return -1;
    const auto time = std::chrono::steady_clock::now() - begin;
    times.push_back(Milliseconds(std::chrono::nanoseconds(time).count()));
  }
  std::ranges::nth_element(times, times.begin() + kChecks / 2);
  return times[kChecks / 2];
}

// Another value of the storage.
void Change(Tensor& value, int64_t element) {
  const int64_t right = value.view().at(element);
  StoreElement(value.storage(), value.mutable_bytes().data(), element, right > 0 ? right - 1 : right + 1);
}

absl::Status Add(const PlayedDispute& played, CertificateCost& cost) {
  if (!played.end || !played.end->conviction) return absl::InternalError("a dispute without a conviction");
  const auto keep = [](auto& largest, auto value) { largest = std::max(largest, value); };
  ++cost.elements;
  if (played.end->conviction->columns) ++cost.by_steps;
  uint64_t bytes = played.opening_bytes;
  for (const DisputeRound& round : played.rounds) bytes += round.answer_bytes;
  keep(cost.certificate_bytes, uint64_t{played.certificate.size()});
  keep(cost.check_ms, CheckMs(played.certificate));
  keep(cost.messages, uint64_t{played.messages()});
  keep(cost.message_bytes, bytes);
  keep(cost.asserter_ms, Milliseconds(played.asserter_ns));
  keep(cost.challenger_ms, Milliseconds(played.challenger_ns));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DisputeCosts> MeasureDisputes(const std::shared_ptr<const ValidModule>& module,
                                             std::span<const TensorView> inputs, int64_t elements_of_each) {
  const ClaimedModule claimed(*module);
  const CommittedValues committed(*module);
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module));
  ASSIGN_OR_RETURN(const RecordedRun honest, RecordedRun::Of(claimed, *plan, inputs));
  RecordedRun accused = honest;
  std::mt19937_64 random(1);
  DisputeCosts costs;
  for (size_t entry = 0; entry < honest.values.size(); ++entry) {
    const TraceEntry& of = honest.trace[entry];
    const size_t function = FunctionAt(module->module(), of.path);
    CertificateCost& cost = costs.by_name[TogetherWith(*module, committed, function, of.id).name];
    const int64_t size = honest.values[entry].shape().num_elements();
    for (int64_t i = 0; i < std::min(elements_of_each, size); ++i) {
      const int64_t element = i == 0 ? 0 : i == 1 ? size - 1 : static_cast<int64_t>(random() % size);
      Change(accused.values[entry], element);
      accused.trace[entry].value = ValueDigest(accused.values[entry].view());
      ASSIGN_OR_RETURN(const PlayedDispute played, PlayDispute(claimed, honest, accused));
      RETURN_IF_ERROR(Add(played, cost));
      ASSIGN_OR_RETURN(const Certificate certificate, DecodeCertificate(played.certificate));
      costs.program_bytes = certificate.program.size();
      costs.bounds_bytes = certificate.bounds.size();
      accused.values[entry] = honest.values[entry];
      accused.trace[entry] = honest.trace[entry];
    }
  }
  return costs;
}

}  // namespace tally::bench
