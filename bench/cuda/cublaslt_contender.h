// Matrix products of NVIDIA's cublasLt on our device, in the layout that its integer kernels want (TN): both
// operands have their depth side by side.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/copied_memory.h"
#include "bench/cuda/cublaslt_api.h"
#include "bench/cuda/linear_problem.h"
#include "bench/cuda/repeated_graph.h"
#include "bench/harness/contender.h"
#include "engines/cuda/device.h"

namespace tally::bench {

// The library, ready for a device.
class CublasLt {
 public:
  // Errors: unavailable, when the library refuses the device.
  static absl::StatusOr<std::unique_ptr<CublasLt>> Open(const CublasLtApi& api, cuda::Device& device);
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  ~CublasLt();

  const CublasLtApi& api() const { return api_; }
  CublasLtHandle handle() const { return handle_; }
  std::string version() const;  // "13.1.1, /usr/local/.."

 private:
  explicit CublasLt(const CublasLtApi& api) : api_(api) {}

  CublasLtApi api_;
  CublasLtHandle handle_ = nullptr;
  void* context_ = nullptr;
};

class CublasLtContender final : public Contender {
 public:
  static constexpr int64_t kWorkspaceBytes = int64_t{64} << 20;

  // The fastest here of what the library's heuristics propose, at most `algorithms`. Codes have a scale for
  // each column, or a single one where no algorithm knows more.
  // Errors: unavailable, when there is no algorithm; those of the device.
  static absl::StatusOr<std::unique_ptr<CublasLtContender>> Create(const CublasLt& library,
                                                                   cuda::Device& device,
                                                                   const LinearProblem& problem,
                                                                   ResultForm form, int algorithms,
                                                                   const Repetitions& repetitions);
  ~CublasLtContender() override;

  std::string name() const override { return "cublasLt"; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override;

  absl::StatusOr<std::vector<uint8_t>> Result();
  int algorithms() const { return algorithms_; }           // that were timed
  bool scales_columns() const { return scales_columns_; }  // each by its own

 private:
  CublasLtContender(const CublasLt& library, const LinearProblem& problem, ResultForm form);
  absl::Status Upload(cuda::Device& device, const LinearProblem& problem, int copies);
  absl::Status Describe(const LinearProblem& problem);
  absl::StatusOr<std::vector<CublasLtHeuristic>> Find(int algorithms);
  absl::Status KeepFastest(const std::vector<CublasLtHeuristic>& found, int repetitions);
  absl::Status Multiply(const CublasLtHeuristic& heuristic, int copy);

  const CublasLt& library_;
  const ResultForm form_;
  const int64_t result_bytes_;
  int algorithms_ = 0;
  bool scales_columns_ = false;
  float scale_ = 1;  // where one is for all
  void* context_ = nullptr;
  std::unique_ptr<cuda::Stream> stream_;
  CopiedMemory memory_;
  int rows_ = 0, columns_ = 0, result_ = 0, scales_ = 0;  // its pieces
  std::unique_ptr<cuda::DeviceMemory> workspace_;
  CublasLtObject product_ = nullptr, preferences_ = nullptr;
  CublasLtObject matrices_[3] = {};  // for columns, rows and the result, as the library numbers them
  std::unique_ptr<RepeatedGraph> graph_;
};

}  // namespace tally::bench
