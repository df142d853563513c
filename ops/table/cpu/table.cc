#include <algorithm>

#include "ops/cpu/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/cpu/kernel_tables.h"
#include "ops/table/cpu/table_loops.h"

namespace tally {
namespace {

// The entry that each of the 256 bytes reads, in the storage of the table.
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

struct LookupParams {
  int64_t offset;  // entry 0 is what it reads
};

// The elements are taken as they are: only x has a layout, and y has the same.
bool LieInLayout(const KernelFacts& facts) {
  const bool x_in_layout = facts.constants[0] == nullptr || LayoutsAgree(facts.operands[0].shape);
  const bool table_in_layout = facts.constants[1] != nullptr || LayoutsAgree(facts.operands[1].shape);
  return facts.layout == Layout::kRowMajor || (x_in_layout && table_in_layout);
}

std::optional<Prepared<LookupParams>> PrepareTable(const KernelFacts& facts) {
  if (!LieInLayout(facts)) return std::nullopt;
  return Prepared<LookupParams>{{facts.attrs<TableAttrs>().offset}};
}

std::optional<Prepared<LookupParams>> PrepareCvmLut(const KernelFacts& facts) {
  if (!LieInLayout(facts)) return std::nullopt;
  return Prepared<LookupParams>{{0}};
}

template <Isa isa>
void LookUp(const LookupParams& p, const KernelCall& call) noexcept {
  const int64_t offset = p.offset;
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

template <KernelName kName, auto prepare>
constexpr auto LookupKernelsOf(Opcode op) {
  return EveryIsaAndLayout<kName>({.op = op, .in_place = true},
                                  []<Isa isa, Layout>() { return kKernel<prepare, LookUp<isa>>; });
}

#if defined(__x86_64__)
template <auto prepare>
std::optional<Prepared<LookupParams>> PrepareBytes(const KernelFacts& facts) {
  const bool bytes = facts.storages[0] == Storage::kI8 && facts.storages[1] == Storage::kI8 &&
                     facts.results[0].storage() == Storage::kI8;
  return bytes ? prepare(facts) : std::nullopt;
}

void LookUpBytes(const LookupParams& p, const KernelCall& call) noexcept {
  const ByteTable bytes(call.operands[1], p.offset);
  const Share share = call.ShareOf(call.operands[0].type->shape.num_elements(), 64);
  avx512::LookUpBytesVbmi(call.operands[0].as<int8_t>() + share.begin, bytes.entries,
                          call.results[0].bytes + share.begin, share.end - share.begin);
}

template <auto prepare>
constexpr KernelFunctions kVbmiKernel = kKernel<PrepareBytes<prepare>, LookUpBytes>;

constexpr auto kVbmiKernels =
    JoinKernels(OneKernel("cvm_lut_s8_s8_avx512vbmi", {.op = Opcode::kCvmLut, .in_place = true},
                          kFlagsAvx512Vbmi, Layout::kRowMajor, kVbmiKernel<PrepareCvmLut>),
                OneKernel("cvm_lut_s8_s8_nhwc_avx512vbmi", {.op = Opcode::kCvmLut, .in_place = true},
                          kFlagsAvx512Vbmi, Layout::kChannelsLast, kVbmiKernel<PrepareCvmLut>),
                OneKernel("table_s8_s8_avx512vbmi", {.op = Opcode::kTable, .in_place = true},
                          kFlagsAvx512Vbmi, Layout::kRowMajor, kVbmiKernel<PrepareTable>),
                OneKernel("table_s8_s8_nhwc_avx512vbmi", {.op = Opcode::kTable, .in_place = true},
                          kFlagsAvx512Vbmi, Layout::kChannelsLast, kVbmiKernel<PrepareTable>));
#else
constexpr std::array<KernelEntry, 0> kVbmiKernels = {};
#endif

constexpr auto kLookupKernels =
    JoinKernels(kVbmiKernels, LookupKernelsOf<"cvm_lut", PrepareCvmLut>(Opcode::kCvmLut),
                LookupKernelsOf<"table", PrepareTable>(Opcode::kTable));

}  // namespace

KernelTable LookupKernels() { return kLookupKernels; }

}  // namespace tally
