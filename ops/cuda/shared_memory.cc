#include "ops/cuda/shared_memory.h"

#include <cstring>

namespace tally::cuda {
namespace {

std::string At(int offset) { return " byte " + std::to_string(offset) + " of shared memory"; }

}  // namespace

std::optional<std::string> SharedMemory::CheckAccess(int offset, int size, int alignment) const {
  if (offset < 0 || offset + size > static_cast<int>(bytes_.size())) {
    return "touches" + At(offset) + ", which has " + std::to_string(bytes_.size());
  }
  if (offset % alignment != 0) {
    return "touches" + At(offset) + ", which is not a multiple of " + std::to_string(alignment);
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::Read(int thread, int offset, int size, int alignment, void* to) {
  if (auto problem = CheckAccess(offset, size, alignment)) return problem;
  for (int i = offset; i < offset + size; ++i) {
    Facts& f = facts_[i];
    if (f.in_flight) return "reads" + At(i) + ", which a copy in flight writes";
    if (f.write_epoch == 0) return "reads" + At(i) + ", which nothing wrote";
    if (f.write_epoch == epoch_ && f.writer != thread) {
      return "reads" + At(i) + ", which thread " + std::to_string(f.writer) +
             " wrote, with no barrier between them";
    }
    f.several_readers = f.read_epoch == epoch_ && (f.several_readers || f.reader != thread);
    f.read_epoch = epoch_;
    f.reader = static_cast<int16_t>(thread);
  }
  std::memcpy(to, bytes_.data() + offset, size);
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteWrite(int thread, int offset, int size) {
  for (int i = offset; i < offset + size; ++i) {
    Facts& f = facts_[i];
    if (f.in_flight) return "writes" + At(i) + ", which a copy in flight writes";
    if (f.products > 0) return "writes" + At(i) + ", which a product in flight reads";
    if (f.write_epoch == epoch_ && f.writer != thread) {
      return "writes" + At(i) + ", which thread " + std::to_string(f.writer) +
             " wrote, with no barrier between them";
    }
    if (f.read_epoch == epoch_ && (f.several_readers || f.reader != thread)) {
      return "writes" + At(i) + ", which another thread read, with no barrier between them";
    }
    f.write_epoch = epoch_;
    f.written_at = clock_;
    f.writer = static_cast<int16_t>(thread);
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::Write(int thread, int offset, int size, int alignment,
                                               const void* from) {
  if (auto problem = CheckAccess(offset, size, alignment)) return problem;
  if (auto problem = NoteWrite(thread, offset, size)) return problem;
  std::memcpy(bytes_.data() + offset, from, size);
  return std::nullopt;
}

std::optional<std::string> SharedMemory::BeginCopy(int thread, int offset) {
  if (auto problem = CheckAccess(offset, 16, 16)) return problem;
  if (auto problem = NoteWrite(thread, offset, 16)) return problem;
  for (int i = offset; i < offset + 16; ++i) facts_[i].in_flight = true;
  return std::nullopt;
}

void SharedMemory::LandCopy(int thread, int offset, const void* from) {
  std::memcpy(bytes_.data() + offset, from, 16);
  for (int i = offset; i < offset + 16; ++i) {
    Facts& f = facts_[i];
    f.in_flight = false;
    f.write_epoch = epoch_;
    f.written_at = clock_;
    f.writer = static_cast<int16_t>(thread);
  }
}

std::optional<std::string> SharedMemory::ReadByUnit(int offset, int size, void* to) {
  if (auto problem = CheckAccess(offset, size, size)) return problem;
  for (int i = offset; i < offset + size; ++i) {
    Facts& f = facts_[i];
    if (f.in_flight) return "multiplies" + At(i) + ", which a copy in flight writes";
    if (f.write_epoch == 0) return "multiplies" + At(i) + ", which nothing wrote";
    if (f.write_epoch == epoch_) {
      return "multiplies" + At(i) + ", which thread " + std::to_string(f.writer) +
             " wrote, with no barrier between them";
    }
    if (f.written_at >= fenced_at_[f.writer]) {
      return "multiplies" + At(i) + ", which thread " + std::to_string(f.writer) + " wrote and did not fence";
    }
    ++f.products;
  }
  std::memcpy(to, bytes_.data() + offset, size);
  return std::nullopt;
}

void SharedMemory::EndReadByUnit(int offset, int size) {
  for (int i = offset; i < offset + size; ++i) {
    Facts& f = facts_[i];
    --f.products;
    f.read_epoch = epoch_;
    f.several_readers = true;
  }
}

}  // namespace tally::cuda
