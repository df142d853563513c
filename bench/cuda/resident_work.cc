#include "bench/cuda/resident_work.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<ResidentWork>> ResidentWork::Create(
    cuda::Device& device, const cuda::Work& work, const std::vector<std::span<const uint8_t>>& operands,
    const std::vector<int64_t>& results, const Repetitions& repetitions) {
  constexpr uint8_t kUnwritten = 0xa5;
  auto resident = std::make_unique<ResidentWork>();
  resident->result_bytes_ = results;
  resident->copies_.resize(static_cast<size_t>(repetitions.copies));
  ASSIGN_OR_RETURN(resident->stream_, device.NewStream());
  cuda::Stream& stream = *resident->stream_;
  std::vector<std::vector<uint8_t>> unwritten;
  for (const int64_t bytes : results) unwritten.emplace_back(static_cast<size_t>(bytes), kUnwritten);
  for (Copy& copy : resident->copies_) {
    const auto add = [&](cuda::Source source, size_t size_bytes,
                         std::span<const uint8_t> content) -> absl::Status {
      Memory& memory = copy.memory[static_cast<int>(source)];
      ASSIGN_OR_RETURN(memory.emplace_back(),
                       device.Allocate(static_cast<int64_t>(std::max<size_t>(1, size_bytes))));
      if (content.empty()) return absl::OkStatus();
      return stream.CopyIn(memory.back()->bytes(), content);
    };
    for (const auto& bytes : operands) {
      RETURN_IF_ERROR(add(cuda::Source::kOperand, bytes.size(), bytes));
    }
    for (const auto& bytes : unwritten) RETURN_IF_ERROR(add(cuda::Source::kResult, bytes.size(), bytes));
    for (const auto& bytes : work.constants) {
      RETURN_IF_ERROR(add(cuda::Source::kConstant, bytes.size(), bytes));
    }
    for (const int64_t bytes : work.scratch_bytes) {
      RETURN_IF_ERROR(add(cuda::Source::kScratch, static_cast<size_t>(bytes), {}));
    }
  }
  RETURN_IF_ERROR(stream.Wait());
  ASSIGN_OR_RETURN(resident->graph_, RepeatedGraph::Record(stream, repetitions.count, [&](int i) {
                     return resident->Launch(work, resident->copies_[i % repetitions.copies]);
                   }));
  return resident;
}

absl::Status ResidentWork::Launch(const cuda::Work& work, const Copy& copy) {
  for (const cuda::Launch& launch : work.launches) {
    cuda::Memory memory = {};
    for (size_t m = 0; m < launch.memory.size(); ++m) {
      const cuda::Ref& ref = launch.memory[m];
      memory.at[m] = copy.memory[static_cast<int>(ref.source)][ref.index]->bytes() + ref.offset_bytes;
    }
    RETURN_IF_ERROR(stream_->Launch(launch.kernel, launch.shape, memory, launch.params));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> ResidentWork::Result(size_t r, int copy) {
  std::vector<uint8_t> bytes(static_cast<size_t>(result_bytes_[r]));
  const Memory& results = copies_[static_cast<size_t>(copy)].memory[static_cast<int>(cuda::Source::kResult)];
  RETURN_IF_ERROR(stream_->CopyOut(bytes, results[r]->bytes()));
  RETURN_IF_ERROR(stream_->Wait());
  return bytes;
}

}  // namespace tally::bench
