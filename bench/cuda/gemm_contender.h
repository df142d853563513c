// Our kernels of one linear problem, on operands that stay on the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/linear_problem.h"
#include "bench/cuda/resident_work.h"
#include "bench/harness/contender.h"

namespace tally::bench {

class GemmContender final : public Contender {
 public:
  // Errors: unimplemented, where no kernel takes the shape; those of the device.
  static absl::StatusOr<std::unique_ptr<GemmContender>> Create(cuda::Device& device,
                                                               const LinearProblem& problem, ResultForm form,
                                                               cuda::Arch arch,
                                                               const Repetitions& repetitions);

  std::string name() const override { return "tally"; }
  std::vector<std::string> kernels() const override { return kernels_; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override;

  // The result of a run that is over.
  absl::StatusOr<std::vector<uint8_t>> Result(int copy = 0) { return work_->Result(0, copy); }

 private:
  std::vector<std::string> kernels_;
  std::unique_ptr<ResidentWork> work_;
};

}  // namespace tally::bench
