// A decoder allocates for what the bytes hold, not for what their counts claim.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/byte_writer.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/testing/golden_module.h"
#include "serializer/testing/mutate.h"
#include "serializer/testing/random_module.h"

namespace {
uint64_t allocated_bytes = 0;
}

void* operator new(size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace tally {
namespace {

// Every byte of a file may become an instruction's share of bookkeeping, and an error has a message.
constexpr uint64_t kBytesPerByte = 64;
constexpr uint64_t kBytesForAnError = 2048;

void ExpectFrugal(const std::vector<uint8_t>& bytes) {
  allocated_bytes = 0;
  const bool accepted = Decode(bytes, nullptr).ok();
  EXPECT_LE(allocated_bytes, kBytesPerByte * bytes.size() + kBytesForAnError) << accepted;
}

TEST(DecodeMemory, CountsThatTheBytesDoNotBearOutCostNothing) {
  for (const size_t offset : {23, 24, 25, 29, 37, 48, 61}) {
    for (const uint64_t count : {uint64_t{20}, uint64_t{1000}, uint64_t{60000}, uint64_t{1} << 62}) {
      ByteWriter writer;
      writer.WriteVarint(count);
      std::vector<uint8_t> bytes = GoldenBytes();
      bytes.erase(bytes.begin() + static_cast<int64_t>(offset));
      bytes.insert(bytes.begin() + static_cast<int64_t>(offset), writer.bytes().begin(),
                   writer.bytes().end());
      ExpectFrugal(bytes);
    }
  }
}

TEST(DecodeMemory, DamagedFilesCostNoMoreThanTheirSize) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    RandomDraws draws(seed);
    std::vector<uint8_t> bytes = Encode(RandomModule(seed, 10));
    ExpectFrugal(bytes);
    Mutate(draws, bytes);
    ExpectFrugal(bytes);
  }
}

}  // namespace
}  // namespace tally
