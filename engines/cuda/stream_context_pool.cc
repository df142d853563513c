#include "engines/cuda/stream_context_pool.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "vm/labels.h"

namespace tally::cuda {

absl::StatusOr<StreamContextPool::Lease> StreamContextPool::Acquire() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::erase_if(free_, [&](const auto& context) { return context->generation() != device_->generation(); });
    if (!free_.empty()) {
      Lease lease(*this, std::move(free_.back()));
      free_.pop_back();
      ++in_use_;
      return lease;
    }
    if (in_use_ < limit_) {
      auto context = NewContext();
      if (context.ok()) {
        ++in_use_;
        return Lease(*this, *std::move(context));
      }
      if (!HasLabel(context.status(), label::device_memory) || in_use_ == 0) return context.status();
      limit_ = in_use_;
    }
    returned_.wait(lock);
  }
}

absl::StatusOr<std::unique_ptr<StreamContext>> StreamContextPool::NewContext() {
  ASSIGN_OR_RETURN(auto stream, device_->NewStream());
  RETURN_IF_ERROR(UploadConstants(*stream));
  return StreamContext::Create(*device_, std::move(stream), program_, constant_block_);
}

absl::Status StreamContextPool::UploadConstants(Stream& stream) {
  const int generation = device_->generation();
  if (generation_ == generation) return absl::OkStatus();
  constant_block_ = nullptr;  // the earlier content is gone
  ASSIGN_OR_RETURN(auto block, device_->Allocate(std::max<int64_t>(1, constants_.size_bytes())));
  for (const Constants::Piece& piece : constants_.pieces()) {
    RETURN_IF_ERROR(stream.CopyIn(block->bytes() + piece.offset, piece.bytes));
  }
  RETURN_IF_ERROR(stream.Wait());
  constant_block_ = std::move(block);
  generation_ = generation;
  limit_ = kMaxCudaRuns;
  return absl::OkStatus();
}

void StreamContextPool::Return(std::unique_ptr<StreamContext> context) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (context != nullptr) free_.push_back(std::move(context));
  }
  returned_.notify_one();
}

}  // namespace tally::cuda
