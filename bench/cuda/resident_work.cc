#include "bench/cuda/resident_work.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<ResidentWork>> ResidentWork::Create(
    cuda::Device& device, const cuda::Work& work, const std::vector<std::span<const uint8_t>>& operands,
    const std::vector<int64_t>& results, int repetitions) {
  auto resident = std::make_unique<ResidentWork>();
  resident->repetitions_ = repetitions;
  resident->result_bytes_ = results;
  ASSIGN_OR_RETURN(resident->stream_, device.NewStream());
  cuda::Stream& stream = *resident->stream_;
  const auto add = [&](cuda::Source source, int64_t size_bytes,
                       std::span<const uint8_t> content) -> absl::Status {
    Memory& memory = resident->memory_[static_cast<int>(source)];
    ASSIGN_OR_RETURN(memory.emplace_back(), device.Allocate(std::max<int64_t>(1, size_bytes)));
    if (content.empty()) return absl::OkStatus();
    return stream.CopyIn(memory.back()->bytes(), content);
  };
  for (const auto& bytes : operands) {
    RETURN_IF_ERROR(add(cuda::Source::kOperand, static_cast<int64_t>(bytes.size()), bytes));
  }
  for (const int64_t bytes : results) RETURN_IF_ERROR(add(cuda::Source::kResult, bytes, {}));
  for (const auto& bytes : work.constants) {
    RETURN_IF_ERROR(add(cuda::Source::kConstant, static_cast<int64_t>(bytes.size()), bytes));
  }
  for (const int64_t bytes : work.scratch_bytes) RETURN_IF_ERROR(add(cuda::Source::kScratch, bytes, {}));
  RETURN_IF_ERROR(stream.Wait());

  RETURN_IF_ERROR(stream.BeginGraph());
  for (int i = 0; i < repetitions; ++i) {
    for (const cuda::Launch& launch : work.launches) {
      cuda::Memory memory = {};
      for (size_t m = 0; m < launch.memory.size(); ++m) {
        const cuda::Ref& ref = launch.memory[m];
        memory.at[m] = resident->memory_[static_cast<int>(ref.source)][ref.index]->bytes() + ref.offset_bytes;
      }
      RETURN_IF_ERROR(stream.Launch(launch.kernel, launch.shape, memory, launch.params));
    }
  }
  ASSIGN_OR_RETURN(resident->graph_, stream.EndGraph());
  return resident;
}

absl::StatusOr<double> ResidentWork::Run() {
  RETURN_IF_ERROR(timer_.Start(*stream_));
  RETURN_IF_ERROR(stream_->Replay(*graph_));
  RETURN_IF_ERROR(timer_.Stop(*stream_));
  RETURN_IF_ERROR(stream_->Wait());
  ASSIGN_OR_RETURN(const double ms, timer_.Milliseconds());
  return ms / repetitions_;
}

absl::StatusOr<std::vector<uint8_t>> ResidentWork::Result(size_t r) {
  std::vector<uint8_t> bytes(static_cast<size_t>(result_bytes_[r]));
  RETURN_IF_ERROR(stream_->CopyOut(bytes, memory_[static_cast<int>(cuda::Source::kResult)][r]->bytes()));
  RETURN_IF_ERROR(stream_->Wait());
  return bytes;
}

}  // namespace tally::bench
