// torch._int_mm, in a python process that waits between its turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/report.h"
#include "bench/peers/child_process.h"

namespace tally::bench {

class TorchProcess {
 public:
  // Errors: unavailable, with the reason, where there is no python, no PyTorch or no GPU that it can use.
  static absl::StatusOr<std::unique_ptr<TorchProcess>> Start(const std::vector<std::string>& command);

  const std::string& version() const { return version_; }
  absl::StatusOr<Json> Ask(const Json& question);

 private:
  std::unique_ptr<ChildProcess> child_;
  std::string version_;
};

class TorchContender final : public Contender {
 public:
  TorchContender(TorchProcess& torch, const ProductShape& shape, int repetitions)
      : torch_(torch), shape_(shape), repetitions_(repetitions) {}

  std::string name() const override { return "torch._int_mm"; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override;

 private:
  TorchProcess& torch_;
  ProductShape shape_;
  int repetitions_;
};

}  // namespace tally::bench
