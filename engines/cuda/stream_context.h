// The memory and the stream of one run at a time on a device: an arena, pinned memory for parameters and
// results, a stream, and the work of the run as graphs, recorded when the stream context is made.
//
//   context->param(0) ..              write the parameters
//   RETURN_IF_ERROR(context->Run(nullptr));
//   context->result(0) ..             read the results
#pragma once

#include <memory>
#include <vector>

#include "engines/cuda/program.h"
#include "engines/cuda/run_hook.h"

namespace tally::cuda {

class StreamContext {
 public:
  // The bytes of host memory that a stream context pins.
  static int64_t PinnedBytes(const Program& program);

  // `stream` of the device and `constants` on it. Errors: those of the device.
  static absl::StatusOr<std::unique_ptr<StreamContext>> Create(Device& device, std::unique_ptr<Stream> stream,
                                                               const Program& program,
                                                               std::shared_ptr<DeviceMemory> constants);

  // The generation of the device that the stream context belongs to.
  int generation() const { return generation_; }

  // Row-major, in the storage of the program's values.
  uint8_t* param(size_t i) const { return params_[i]; }
  const uint8_t* result(size_t r) const { return results_[r]; }

  // Copies parameters to the device, runs every step, and copies results back. Error cancelled: it looks
  // before each graph.
  absl::Status Run(const Cancellation* cancellation) const;
  // The same, step by step, with `hook` after each.
  absl::Status RunWith(RunHook& hook, const Cancellation* cancellation) const;

 private:
  StreamContext(const Program& program, std::shared_ptr<DeviceMemory> constants)
      : program_(program), constants_(std::move(constants)) {}

  Frame frame() const { return {&program_, stream_.get(), arena_->bytes(), constants_->bytes()}; }
  absl::Status CopyParamsIn() const;
  absl::Status CopyResultsOut() const;
  absl::Status Record();

  const Program& program_;
  int generation_ = 0;
  std::shared_ptr<DeviceMemory> constants_;  // the plan's
  std::unique_ptr<DeviceMemory> arena_;
  std::unique_ptr<PinnedMemory> pinned_;
  std::vector<uint8_t*> params_, results_;  // in `pinned_`
  std::unique_ptr<Stream> stream_;
  // Work of the device alone. Ahead of each graph but the first the host runs a step.
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<const Step*> steps_between_;
};

}  // namespace tally::cuda
