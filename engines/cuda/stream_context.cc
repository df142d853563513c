#include "engines/cuda/stream_context.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "vm/memory_planner.h"

namespace tally::cuda {
namespace {

int64_t SizeOnHost(const ValueRef& value) { return RoundUp(value.size_bytes(), kBufferAlignment); }

}  // namespace

int64_t StreamContext::PinnedBytes(const Program& program) {
  int64_t bytes = 0;
  for (const auto* values : {&program.params, &program.results}) {
    for (const ValueRef& value : *values) bytes += SizeOnHost(value);
  }
  return bytes;
}

absl::StatusOr<std::unique_ptr<StreamContext>> StreamContext::Create(
    Device& device, std::unique_ptr<Stream> stream, const Program& program,
    std::shared_ptr<DeviceMemory> constants) {
  std::unique_ptr<StreamContext> context(new StreamContext(program, std::move(constants)));
  context->generation_ = device.generation();
  context->stream_ = std::move(stream);
  ASSIGN_OR_RETURN(context->arena_, device.Allocate(std::max<int64_t>(1, program.arena_bytes)));
  ASSIGN_OR_RETURN(context->pinned_, device.AllocatePinned(std::max<int64_t>(1, PinnedBytes(program))));
  uint8_t* next = context->pinned_->bytes();
  const auto place = [&](const std::vector<ValueRef>& values, std::vector<uint8_t*>& places) {
    for (const ValueRef& value : values) {
      places.push_back(next);
      next += SizeOnHost(value);
    }
  };
  place(program.params, context->params_);
  place(program.results, context->results_);
  if (program.shown.empty()) RETURN_IF_ERROR(context->Record());
  return context;
}

absl::Status StreamContext::CopyParamsIn() const {
  for (size_t i = 0; i < params_.size(); ++i) {
    const ValueRef& value = program_.params[i];
    RETURN_IF_ERROR(
        stream_->CopyIn(frame().At(value.buffer), {params_[i], static_cast<size_t>(value.size_bytes())}));
  }
  return absl::OkStatus();
}

absl::Status StreamContext::CopyResultsOut() const {
  for (size_t r = 0; r < results_.size(); ++r) {
    const ValueRef& value = program_.results[r];
    RETURN_IF_ERROR(
        stream_->CopyOut({results_[r], static_cast<size_t>(value.size_bytes())}, frame().At(value.buffer)));
  }
  return absl::OkStatus();
}

absl::Status StreamContext::Record() {
  RETURN_IF_ERROR(stream_->BeginGraph());
  RETURN_IF_ERROR(CopyParamsIn());
  for (size_t s = 0; s < program_.steps.size(); ++s) {
    const Step& step = program_.step(s);
    if (!step.waits()) {
      RETURN_IF_ERROR(step.Run(frame()));
      continue;
    }
    ASSIGN_OR_RETURN(graphs_.emplace_back(), stream_->EndGraph());
    steps_between_.push_back(&step);
    RETURN_IF_ERROR(stream_->BeginGraph());
  }
  RETURN_IF_ERROR(CopyResultsOut());
  ASSIGN_OR_RETURN(graphs_.emplace_back(), stream_->EndGraph());
  return absl::OkStatus();
}

absl::Status StreamContext::Run(const Cancellation* cancellation) const {
  Frame with = frame();
  with.cancellation = cancellation;
  for (size_t i = 0; i < graphs_.size(); ++i) {
    RETURN_IF_ERROR(NotCancelled(cancellation));
    if (i > 0) RETURN_IF_ERROR(steps_between_[i - 1]->Run(with));
    RETURN_IF_ERROR(stream_->Replay(*graphs_[i]));
  }
  return stream_->Wait();
}

absl::Status StreamContext::RunWith(RunHook& hook, const Cancellation* cancellation) const {
  Frame hooked = frame();
  hooked.hook = &hook;
  hooked.cancellation = cancellation;
  RETURN_IF_ERROR(CopyParamsIn());
  RETURN_IF_ERROR(RunSteps(hooked));
  RETURN_IF_ERROR(CopyResultsOut());
  return stream_->Wait();
}

}  // namespace tally::cuda
