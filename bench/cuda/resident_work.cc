#include "bench/cuda/resident_work.h"

#include "base/status_macros.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<ResidentWork>> ResidentWork::Create(
    cuda::Device& device, const cuda::Work& work, const std::vector<std::span<const uint8_t>>& operands,
    const std::vector<int64_t>& results, const Repetitions& repetitions) {
  auto resident = std::make_unique<ResidentWork>();
  resident->result_bytes_ = results;
  ASSIGN_OR_RETURN(resident->stream_, device.NewStream());
  const auto add = [&](cuda::Source source, const auto& piece) {
    resident->pieces_[static_cast<int>(source)].push_back(resident->memory_.Add(piece));
  };
  for (const auto& bytes : operands) add(cuda::Source::kOperand, bytes);
  for (const int64_t bytes : results) add(cuda::Source::kResult, bytes);
  for (const auto& bytes : work.constants) add(cuda::Source::kConstant, std::span<const uint8_t>(bytes));
  for (const int64_t bytes : work.scratch_bytes) add(cuda::Source::kScratch, bytes);
  RETURN_IF_ERROR(resident->memory_.Upload(device, *resident->stream_, repetitions.copies));
  ASSIGN_OR_RETURN(resident->graph_, RepeatedGraph::Record(*resident->stream_, repetitions.count, [&](int i) {
                     return resident->Launch(work, i % repetitions.copies);
                   }));
  return resident;
}

absl::Status ResidentWork::Launch(const cuda::Work& work, int copy) {
  for (const cuda::Launch& launch : work.launches) {
    cuda::Memory memory = {};
    for (size_t m = 0; m < launch.memory.size(); ++m) {
      const cuda::Ref& ref = launch.memory[m];
      memory.at[m] = memory_.At(copy, pieces_[static_cast<int>(ref.source)][ref.index]) + ref.offset_bytes;
    }
    RETURN_IF_ERROR(stream_->Launch(launch.kernel, launch.shape, memory, launch.params));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> ResidentWork::Result(size_t r, int copy) {
  std::vector<uint8_t> bytes(static_cast<size_t>(result_bytes_[r]));
  const int piece = pieces_[static_cast<int>(cuda::Source::kResult)][r];
  RETURN_IF_ERROR(stream_->CopyOut(bytes, memory_.At(copy, piece)));
  RETURN_IF_ERROR(stream_->Wait());
  return bytes;
}

}  // namespace tally::bench
