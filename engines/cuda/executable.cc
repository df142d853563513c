#include "engines/cuda/executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/copy_elements.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "vm/labels.h"

namespace tally::cuda {
Executable::Executable(std::shared_ptr<const ValidModule> module, std::shared_ptr<Device> device,
                       const CompileOptions& options)
    : module_(std::move(module)), published_(options.published), device_(std::move(device)) {
  Compile(*module_, options, programs_, constants_);
  contexts_ = std::make_unique<StreamContextPool>(device_, entry(), constants_);
}

std::vector<PlanStep> Executable::steps() const {
  std::vector<PlanStep> steps;
  for (size_t f = 0; f < programs_.size(); ++f) AppendSteps(f, programs_[f], steps);
  return steps;
}

int64_t Executable::memory_bytes() const {
  return entry().arena_bytes + StreamContext::PinnedBytes(entry()) + entry().host_bytes;
}

absl::Status Executable::Start() const {
  const int64_t needed = constants_.size_bytes() + entry().arena_bytes;
  if (needed > device_->info().memory_bytes) {
    return MakeError(label::device_memory,
                     absl::StrCat("the plan needs ", needed, " bytes, ", device_->info().name, " has ",
                                  device_->info().memory_bytes));
  }
  ASSIGN_OR_RETURN(StreamContextPool::Lease context, contexts_->Acquire());
  context.Worked();
  return absl::OkStatus();
}

// The caller's results are written when nothing can fail any more.
absl::Status Executable::Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                             RunHook* hook, const Cancellation* cancellation) const {
  ASSIGN_OR_RETURN(StreamContextPool::Lease context, contexts_->Acquire());
  for (size_t i = 0; i < inputs.size(); ++i) {
    CopyElements(inputs[i].storage, inputs[i].bytes.data(), entry().params[i].storage, context->param(i),
                 inputs[i].shape.num_elements());
  }
  if (hook != nullptr) {
    RETURN_IF_ERROR(context->RunWith(*hook, cancellation));
  } else {
    RETURN_IF_ERROR(context->Run(cancellation));
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const ValueRef& value = entry().results[r];
    const TensorType& type = published_.types()[published_.entry().results[r]];
    CopyElements(value.storage, context->result(r), type.storage(), results[r].data(),
                 type.shape.num_elements());
  }
  context.Worked();
  return absl::OkStatus();
}

}  // namespace tally::cuda
