// The request of an entry to a device: launches of kernels, with the constants and the working memory that
// they need.
//
//   Work work;
//   work.Add(KernelId::kRelu, GridOver(n, 256), params, {Operand(0), ResultAt(0)});
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/aligned_vector.h"
#include "ops/cuda/kernel_id.h"

namespace tally::cuda {

// The least architecture that a kernel needs. Each has what those before it have.
enum class Arch : uint8_t {
  kSm80,   // mma.sync, asynchronous copies
  kSm90a,  // wgmma: compute capability 9.0 alone
};

struct GridShape {
  int x = 1, y = 1, z = 1;
};

struct LaunchShape {
  GridShape grid;
  int block = 1;         // threads
  int shared_bytes = 0;  // per block
};

// Bytes that a launch touches: of an operand or a result of the call, of constants that the row made, of
// working memory that only this call uses.
enum class Source : uint8_t { kOperand, kResult, kConstant, kScratch };
struct Ref {
  Source source;
  int index;
  int64_t offset_bytes = 0;
};
constexpr Ref OperandAt(int i, int64_t offset_bytes = 0) { return {Source::kOperand, i, offset_bytes}; }
constexpr Ref ResultAt(int i, int64_t offset_bytes = 0) { return {Source::kResult, i, offset_bytes}; }
constexpr Ref ConstantAt(int i, int64_t offset_bytes = 0) { return {Source::kConstant, i, offset_bytes}; }
constexpr Ref ScratchAt(int i, int64_t offset_bytes = 0) { return {Source::kScratch, i, offset_bytes}; }

struct Launch {
  KernelId kernel;
  LaunchShape shape;
  std::vector<Ref> memory;      // Memory::at
  std::vector<uint8_t> params;  // the kernel's own struct
};

// Launches in their order; each sees what those ahead of it wrote.
struct Work {
  std::vector<Launch> launches;
  std::vector<AlignedVector<uint8_t>> constants;
  std::vector<int64_t> scratch_bytes;

  template <typename Params>
  void Add(KernelId kernel, const LaunchShape& shape, const Params& params, const std::vector<Ref>& memory) {
    static_assert(std::is_trivially_copyable_v<Params>);
    Launch& launch = launches.emplace_back(Launch{kernel, shape, memory, {}});
    launch.params.resize(sizeof params);
    std::memcpy(launch.params.data(), &params, sizeof params);
  }
  template <typename T>
  Ref AddConstant(const std::vector<T>& values) {
    AlignedVector<uint8_t>& bytes = constants.emplace_back(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return ConstantAt(static_cast<int>(constants.size()) - 1);
  }
  Ref AddScratch(int64_t size_bytes) {
    scratch_bytes.push_back(size_bytes);
    return ScratchAt(static_cast<int>(scratch_bytes.size()) - 1);
  }
};

// One thread for each of `items`, at most 2^38.
inline LaunchShape GridOver(int64_t items, int block = 256) {
  return {{static_cast<int>((items + block - 1) / block)}, block};
}

}  // namespace tally::cuda
