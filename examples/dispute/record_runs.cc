// record_runs NETWORK SCALE FOLDER: two parties run one network on one input. In the memory of one of them a
// bit of a weight has flipped, which it does not know or does not say: it claims to have run the same module.
// FOLDER/honest and FOLDER/claimed have their runs, for `tally dispute`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "cli/run_folder.h"
#include "engines/engine.h"
#include "proof/certificate/recorded_run.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr uint64_t kInputSeed = 1;

absl::StatusOr<RecordedRun> Record(const std::shared_ptr<const ValidModule>& module,
                                   std::span<const TensorView> inputs) {
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module));
  return RecordedRun::Of(ClaimedModule(*module), *plan, inputs);
}

// The module with a bit of one weight flipped: in the middle of the middle one of its large constants.
absl::StatusOr<std::shared_ptr<const ValidModule>> WithFlippedBit(const ValidModule& module, int bit) {
  Module flipped = module.module();
  std::vector<size_t> weights;
  for (size_t i = 0; i < flipped.constants.size(); ++i) {
    if (flipped.constants[i].shape.rank() >= 2) weights.push_back(i);
  }
  TensorView& constant = flipped.constants[weights[weights.size() / 2]];
  const auto bytes = std::make_shared<std::vector<uint8_t>>(constant.bytes.begin(), constant.bytes.end());
  (*bytes)[bytes->size() / 2] ^= static_cast<uint8_t>(1 << bit);
  constant.bytes = *bytes;
  struct Both {
    std::shared_ptr<const void> module, weight;
  };
  flipped.backing = std::make_shared<const Both>(Both{flipped.backing, bytes});
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(flipped)));
  return std::make_shared<const ValidModule>(std::move(valid));
}

absl::Status RecordBoth(const std::string& network, int64_t scale, const std::string& folder) {
  ASSIGN_OR_RETURN(bench::Work work, bench::BuildWork(network, {.scale = scale}));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  const auto module = std::make_shared<const ValidModule>(std::move(valid));
  const std::vector<Tensor> inputs = bench::RandomInputs(module->entry().params, kInputSeed);
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());

  ASSIGN_OR_RETURN(const RecordedRun honest, Record(module, views));
  // The lowest bit that makes a difference: a small one may be rounded away.
  RecordedRun claimed;
  for (int bit = 0; bit < 7 && (bit == 0 || claimed.trace == honest.trace); ++bit) {
    ASSIGN_OR_RETURN(const auto flipped, WithFlippedBit(*module, bit));
    ASSIGN_OR_RETURN(claimed, Record(flipped, views));
  }
  claimed.claim.module = honest.claim.module;
  claimed.claim.bounds = honest.claim.bounds;
  claimed.CommitToTensors();
  RETURN_IF_ERROR(cli::WriteRunFolder(folder + "/honest", *module, honest));
  RETURN_IF_ERROR(cli::WriteRunFolder(folder + "/claimed", *module, claimed));
  std::printf("honest   claim %s  trace %s\n", ToHex(ClaimId(honest.claim)).c_str(),
              ToHex(TraceDigest(honest.trace)).c_str());
  std::printf("claimed  claim %s  trace %s\n", ToHex(ClaimId(claimed.claim)).c_str(),
              ToHex(TraceDigest(claimed.trace)).c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: record_runs NETWORK SCALE FOLDER\n");
    return 2;
  }
  const absl::Status status = tally::RecordBoth(argv[1], std::atoll(argv[2]), argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error[%s]: %s\n", tally::ErrorLabel(status).c_str(),
               std::string(status.message()).c_str());
  return 1;
}
