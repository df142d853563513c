// A work on one of Tally's engines.
#pragma once

#include <memory>
#include <vector>

#include "base/aligned_vector.h"
#include "bench/harness/contender.h"
#include "bench/models/works.h"
#include "engines/engine.h"

namespace tally::bench {

class TallyContender final : public Contender {
 public:
  // Validates, plans and makes random inputs. Takes the module out of `work`. Errors: those of Validate and
  // MakePlan.
  static absl::StatusOr<std::unique_ptr<TallyContender>> Create(std::string_view engine, int threads,
                                                                Work& work);

  std::string name() const override { return name_; }
  std::vector<std::string> kernels() const override { return plan_->kernels(); }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override;

  const Plan& plan() const { return *plan_; }

 private:
  TallyContender(std::string name, std::unique_ptr<const Plan> plan);

  std::string name_;
  std::unique_ptr<const Plan> plan_;
  std::vector<AlignedVector<uint8_t>> inputs_, results_;
  std::vector<TensorView> views_;
  std::vector<std::span<uint8_t>> result_views_;
};

// The least that an engine has to move for one run: constants once; of activations those that are stored,
// written once and read by each instruction that uses them. Sums that only a rescale reads stay in registers,
// and instructions that only rename elements (reshape, transpose) move nothing.
int64_t BytesMoved(const ValidModule& module);

// "a x 3, b": each name once, in order of first use, with how often it is used.
std::string CountKernels(const std::vector<std::string>& kernels);

}  // namespace tally::bench
