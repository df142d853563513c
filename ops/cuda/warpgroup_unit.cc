#include "ops/cuda/warpgroup_unit.h"

#include <utility>

#include "ops/cuda/fragments.h"
#include "ops/cuda/matrix_descriptor.h"

namespace tally::cuda {
namespace {

constexpr int kChunk = 16;

std::optional<std::string> WhatIsWrongWith(const MatrixDescriptor& d) {
  if (d.swizzle != MatrixDescriptor::kSwizzle128)
    return "describes a matrix that is not swizzled by 128 bytes";
  if (d.atom_distance != kAtomBytes || d.first_row != 0) {
    return "describes a matrix whose atoms do not lie one behind the other";
  }
  if (d.address % kAtomBytes >= kSwizzledRowBytes || d.address % kWgmmaK != 0) {
    return "describes a matrix that does not begin with an atom";
  }
  return std::nullopt;
}

// Rows of 32 bytes; notes the chunks that they are in.
std::optional<std::string> ReadMatrix(SharedMemory& shared, uint64_t bits, int rows, std::vector<int8_t>& to,
                                      std::vector<int>& chunks) {
  const MatrixDescriptor d(bits);
  if (auto problem = WhatIsWrongWith(d)) return problem;
  to.resize(static_cast<size_t>(rows) * kWgmmaK);
  for (int row = 0; row < rows; ++row) {
    for (int byte = 0; byte < kWgmmaK; byte += kChunk) {
      const int offset = static_cast<int>(d.AddressOf(row, byte)) - kSharedMemoryAddress;
      if (auto problem = shared.ReadByUnit(offset, kChunk, &to[row * kWgmmaK + byte])) return problem;
      chunks.push_back(offset);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> WarpgroupUnit::Begin(SharedMemory& shared, int columns,
                                                const Operands (&threads)[kWarpgroup]) {
  Product product;
  for (const Operands& thread : threads) {
    if (thread.a != threads[0].a || thread.b != threads[0].b) {
      return "describes other matrices than other threads of its warpgroup";
    }
    if (thread.sums->touched_at == fences_) return "begins a product on sums that it touched, with no fence";
    product.sums.push_back(thread.sums);
  }
  std::vector<int8_t> a, b;
  if (auto problem = ReadMatrix(shared, threads[0].a, kWgmmaM, a, product.chunks)) return problem;
  if (auto problem = ReadMatrix(shared, threads[0].b, columns, b, product.chunks)) return problem;
  for (int thread = 0; thread < kWarpgroup; ++thread) {
    AccumulatorRegisters& sums = *threads[thread].sums;
    ++sums.products_in_flight;
    // Nobody sees the registers until the product is waited for.
    for (int i = 0; i < sums.count; ++i) {
      const MatrixCoord p = CoordInWarpgroupAccumulators(thread, i);
      const int8_t *row = &a[p.row * kWgmmaK], *column = &b[p.column * kWgmmaK];
      int32_t sum = 0;  // at most 32 * 2^14
      for (int k = 0; k < kWgmmaK; ++k) sum += row[k] * column[k];
      sums.values[i] =
          static_cast<int32_t>(static_cast<uint32_t>(sums.values[i]) + static_cast<uint32_t>(sum));
    }
  }
  begun_.push_back(std::move(product));
  return std::nullopt;
}

void WarpgroupUnit::Commit() { groups_.push_back(std::exchange(begun_, {})); }

void WarpgroupUnit::Wait(SharedMemory& shared, int in_flight) {
  while (static_cast<int>(groups_.size()) > in_flight) {
    for (const Product& product : groups_.front()) {
      for (const int chunk : product.chunks) shared.EndReadByUnit(chunk, kChunk);
      for (AccumulatorRegisters* sums : product.sums) --sums->products_in_flight;
    }
    groups_.pop_front();
  }
}

}  // namespace tally::cuda
