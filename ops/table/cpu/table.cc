#include <algorithm>

#include "ops/cpu/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/cpu/kernels.h"
#include "ops/table/cpu/table_loops.h"

namespace tally {
namespace {

// What each of the 256 bytes reads, in the storage of the table.
struct ByteTable {
  alignas(64) uint8_t entries[256 * 8];

  ByteTable(const KernelOperand& table, int64_t offset) {
    const int64_t last = table.type->shape.num_elements() - 1;
    for (int64_t x = -128; x < 128; ++x) {
      const int64_t entry = std::clamp<int64_t>(x - offset, 0, last);
      StoreElement(table.storage, entries, x & 255, LoadElement(table.storage, table.bytes, entry));
    }
  }
};

// The elements are taken as they lie: only x has a layout, and y has the same.
template <Isa isa>
void LookUp(const KernelCall& call, int64_t offset) {
  const TableLoops& loops = GetTableLoops<isa>();
  const KernelOperand &x = call.operands[0], &table = call.operands[1];
  const KernelResult& y = call.results[0];
  const int64_t last = table.type->shape.num_elements() - 1;
  const Share share = call.ShareOf(x.type->shape.num_elements(), 64);
  const int code = CodeOf(table.storage);
  const auto run = [&](auto&& look_up) {
    ChunkBuffer buffer;
    for (int64_t at = share.begin; at < share.end; at += kChunk) {
      const int64_t n = std::min(kChunk, share.end - at);
      uint8_t* to = y.bytes + at * SizeBytes(y.storage);
      void* target = y.storage == table.storage ? to : buffer.bytes;
      look_up(x.bytes + at * SizeBytes(x.storage), target, n);
      if (target != to) GetConvertLoops<isa>().convert[code][CodeOf(y.storage)](target, to, n);
    }
  };
  // Filling a table for all bytes pays for more than a few of them.
  if (x.storage == Storage::kI8 && share.end - share.begin >= 256) {
    const ByteTable bytes(table, offset);
    return run([&](const uint8_t* from, void* to, int64_t n) {
      loops.byte_lookup[code](reinterpret_cast<const int8_t*>(from), bytes.entries, to, n);
    });
  }
  run([&](const uint8_t* from, void* to, int64_t n) {
    loops.lookup[CodeOf(x.storage)][code](from, offset, last, table.bytes, to, n);
  });
}

#if defined(__x86_64__)
void LookUpBytes(const KernelCall& call, int64_t offset) {
  const ByteTable bytes(call.operands[1], offset);
  const Share share = call.ShareOf(call.operands[0].type->shape.num_elements(), 64);
  avx512::LookUpBytesVbmi(call.operands[0].as<int8_t>() + share.begin, bytes.entries,
                          call.results[0].bytes + share.begin, share.end - share.begin);
}
#endif

}  // namespace

bool AcceptsTable(const KernelFacts& facts) {
  const bool x_in_layout = facts.constants[0] == nullptr || LayoutsAgree(facts.operands[0].shape);
  const bool table_in_layout = facts.constants[1] != nullptr || LayoutsAgree(facts.operands[1].shape);
  return facts.layout == Layout::kRowMajor || (x_in_layout && table_in_layout);
}

bool AcceptsByteTable(const KernelFacts& facts) {
  return AcceptsTable(facts) && facts.storages[0] == Storage::kI8 && facts.storages[1] == Storage::kI8 &&
         facts.results[0].storage() == Storage::kI8;
}

template <Isa isa>
void TableKernel(const KernelCall& call) noexcept {
  LookUp<isa>(call, call.attrs<TableAttrs>().offset);
}

template <Isa isa>
void CvmLutKernel(const KernelCall& call) noexcept {
  LookUp<isa>(call, 0);
}

TALLY_INSTANTIATE_KERNEL(TableKernel);
TALLY_INSTANTIATE_KERNEL(CvmLutKernel);

#if defined(__x86_64__)
void ByteTableVbmiKernel(const KernelCall& call) noexcept {
  LookUpBytes(call, call.attrs<TableAttrs>().offset);
}
void ByteCvmLutVbmiKernel(const KernelCall& call) noexcept { LookUpBytes(call, 0); }
#endif

}  // namespace tally
