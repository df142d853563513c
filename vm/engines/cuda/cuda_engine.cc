#include "vm/engines/cuda/cuda_engine.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "vm/engines/cuda/compiler.h"
#include "vm/engines/scalar_engine.h"
#include "vm/lower_operators.h"

namespace tally {
namespace cuda {
namespace {

void CopyElements(Storage from, const uint8_t* x, Storage to, uint8_t* y, int64_t count) {
  if (from == to) {
    std::memcpy(y, x, count * SizeBytes(to));
    return;
  }
  for (int64_t i = 0; i < count; ++i) StoreElement(to, y, i, LoadElement(from, x, i));
}

// What a run needs for itself. Plans keep what runs gave back.
struct RunState {
  int generation = 0;
  std::shared_ptr<DeviceMemory> constants;  // of the plan
  std::unique_ptr<DeviceMemory> arena;
  std::unique_ptr<Stream> stream;
  std::vector<uint8_t> staging;  // parameters, then results
};

class CudaPlan final : public Plan {
 public:
  CudaPlan(std::shared_ptr<const ValidModule> module, std::shared_ptr<Device> device)
      : Plan(module), device_(std::move(device)), lowered_(LowerForKernels(std::move(module)).module) {
    Compile(*lowered_, device_->info().arch, programs_, constants_);
    for (const Value& value : program().params) staging_bytes_ += SizeOnHost(value);
    for (const Value& value : program().results) staging_bytes_ += SizeOnHost(value);
  }

  // Everything that the first run needs.
  absl::Status Start() {
    const int64_t needed = constants_.size_bytes() + program().arena_bytes;
    if (needed > device_->info().memory_bytes) {
      return MakeError("device_memory",
                       absl::StrCat("the plan needs ", needed, " bytes, ", device_->info().name, " has ",
                                    device_->info().memory_bytes));
    }
    ASSIGN_OR_RETURN(auto state, Acquire());
    Release(std::move(state));
    return absl::OkStatus();
  }

  int64_t memory_bytes() const override {
    return program().arena_bytes + staging_bytes_ + program().host_bytes;
  }

  int64_t observed_memory_bytes() const override { return module().arena_bytes(); }

  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const auto& step : program().steps) names.push_back(step->name());
    return names;
  }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    // What an observer wants to see one by one is not computed one by one; what it repeats has passed the checks.
    if (options.observer) return MakeReferencePlan(shared_module())->ExecuteInto(inputs, results, options);
    ASSIGN_OR_RETURN(std::unique_ptr<RunState> state, Acquire());
    RETURN_IF_ERROR(RunOn(*state, inputs, results));
    Release(std::move(state));
    return absl::OkStatus();
  }

 private:
  static int64_t SizeOnHost(const Value& value) { return RoundUp(value.size_bytes(), kBufferAlignment); }

  const Program& program() const { return programs_[0]; }

  // The caller's results are written when nothing can fail any more.
  absl::Status RunOn(RunState& state, std::span<const TensorView> inputs,
                     std::span<const std::span<uint8_t>> results) const {
    const Frame frame = {&program(), state.stream.get(), state.arena->bytes(), state.constants->bytes()};
    uint8_t* host = state.staging.data();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Value& param = program().params[i];
      CopyElements(inputs[i].storage, inputs[i].bytes.data(), param.storage, host,
                   inputs[i].shape.num_elements());
      RETURN_IF_ERROR(
          state.stream->CopyIn(frame.At(param.buffer), {host, static_cast<size_t>(param.size_bytes())}));
      host += SizeOnHost(param);
    }
    RETURN_IF_ERROR(RunSteps(frame));
    uint8_t* const first_result = host;
    for (const Value& value : program().results) {
      RETURN_IF_ERROR(
          state.stream->CopyOut({host, static_cast<size_t>(value.size_bytes())}, frame.At(value.buffer)));
      host += SizeOnHost(value);
    }
    RETURN_IF_ERROR(state.stream->Wait());
    host = first_result;
    for (size_t r = 0; r < results.size(); ++r) {
      const Value& value = program().results[r];
      CopyElements(value.storage, host, module().types()[module().entry().results[r]].storage(),
                   results[r].data(), value.type.shape.num_elements());
      host += SizeOnHost(value);
    }
    return absl::OkStatus();
  }

  // A state of the device as it is now, with the constants on it.
  absl::StatusOr<std::unique_ptr<RunState>> Acquire() const {
    const std::lock_guard lock(mutex_);
    if (!free_.empty() && free_.back()->generation == device_->generation()) {
      auto state = std::move(free_.back());
      free_.pop_back();
      return state;
    }
    free_.clear();
    auto state = std::make_unique<RunState>();
    ASSIGN_OR_RETURN(state->stream, device_->NewStream());
    state->generation = device_->generation();
    RETURN_IF_ERROR(UploadConstants(*state));
    state->constants = constant_block_;
    ASSIGN_OR_RETURN(state->arena, device_->Allocate(std::max<int64_t>(1, program().arena_bytes)));
    state->staging.resize(staging_bytes_);
    return state;
  }

  void Release(std::unique_ptr<RunState> state) const {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(state));
  }

  absl::Status UploadConstants(RunState& state) const {
    if (constant_block_ != nullptr && constants_generation_ == state.generation) return absl::OkStatus();
    ASSIGN_OR_RETURN(constant_block_, device_->Allocate(std::max<int64_t>(1, constants_.size_bytes())));
    for (const Constants::Piece& piece : constants_.pieces()) {
      RETURN_IF_ERROR(state.stream->CopyIn(constant_block_->bytes() + piece.offset, piece.bytes));
    }
    RETURN_IF_ERROR(state.stream->Wait());
    constants_generation_ = state.generation;
    return absl::OkStatus();
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<const ValidModule> lowered_;
  std::vector<Program> programs_;
  Constants constants_;
  int64_t staging_bytes_ = 0;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<DeviceMemory> constant_block_;
  mutable int constants_generation_ = 0;
  mutable std::vector<std::unique_ptr<RunState>> free_;
};

}  // namespace
}  // namespace cuda

absl::StatusOr<std::unique_ptr<const Plan>> MakeCudaPlan(std::shared_ptr<const ValidModule> module,
                                                         std::shared_ptr<cuda::Device> device) {
  auto plan = std::make_unique<cuda::CudaPlan>(std::move(module), std::move(device));
  RETURN_IF_ERROR(plan->Start());
  return plan;
}

}  // namespace tally
