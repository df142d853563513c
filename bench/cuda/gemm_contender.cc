#include "bench/cuda/gemm_contender.h"

#include "base/status_macros.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<GemmContender>> GemmContender::Create(cuda::Device& device,
                                                                     const LinearProblem& problem,
                                                                     ResultForm form, cuda::Arch arch,
                                                                     const Repetitions& repetitions) {
  const std::optional<cuda::Work> work = problem.WorkFor(arch, form);
  if (!work) return absl::UnimplementedError("no kernel takes this shape");
  auto contender = std::make_unique<GemmContender>();
  for (const cuda::Launch& launch : work->launches) {
    contender->kernels_.emplace_back(cuda::NameOf(launch.kernel));
  }
  ASSIGN_OR_RETURN(contender->work_, ResidentWork::Create(device, *work, {problem.x()},
                                                          {problem.result_bytes(form)}, repetitions));
  return contender;
}

absl::StatusOr<std::vector<double>> GemmContender::Run(int iterations, Clock) {
  std::vector<double> times;
  for (int i = 0; i < iterations; ++i) {
    ASSIGN_OR_RETURN(times.emplace_back(), work_->Run());
  }
  return times;
}

}  // namespace tally::bench
