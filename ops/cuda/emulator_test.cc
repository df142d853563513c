// The emulation itself: that it computes as a GPU does, and that it refuses what hides faults there.
#include "ops/cuda/emulator.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "ops/cuda/matrix_descriptor.h"

namespace tally::cuda {
namespace {

template <void (*kKernel)(const Thread&, const Memory&)>
absl::Status RunKernel(const LaunchShape& shape, const std::vector<void*>& memory = {},
                       Order order = Order::kForward) {
  Memory m = {};
  for (size_t i = 0; i < memory.size(); ++i) m.at[i] = static_cast<uint8_t*>(memory[i]);
  return Emulate([](const Thread& t, const Memory& m, const void*) { kKernel(t, m); }, m, nullptr, shape,
                 order);
}

void ReverseBlock(const Thread& t, const Memory& m) {
  const int64_t first = int64_t{t.block_x()} * t.block_size();
  t.StoreShared<int32_t>(t.x() * 4, m.as<int32_t>(0)[first + t.x()]);
  t.Barrier();
  m.as<int32_t>(1)[first + t.x()] = t.LoadShared<int32_t>((t.block_size() - 1 - t.x()) * 4);
}

TEST(Emulator, ThreadsOfABlockShareMemory) {
  std::vector<int32_t> x(3 * 96), y(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (const Order order : {Order::kForward, Order::kBackward}) {
    ASSERT_TRUE(RunKernel<ReverseBlock>({{3}, 96, 96 * 4}, {x.data(), y.data()}, order).ok());
    EXPECT_EQ(y[0], 95);
    EXPECT_EQ(y[96], 191);
    EXPECT_EQ(y[287], 192);
  }
}

void Meet(const Thread& t, const Memory& m) {
  auto* const met = m.as<int64_t>(0);
  t.AtomicAdd(&met[0], t.global_index());
  t.AtomicMultiply(&met[1], t.x() % 2 == 0 ? 3 : 5);
  t.AtomicMax(&met[2], t.global_index() % 100);
  t.AtomicMin(&met[3], -(t.global_index() % 100));
}

TEST(Emulator, AtomicOperationsOfAllBlocksMeet) {
  uint64_t product = 7;
  for (int i = 0; i < 64; ++i) product *= 15;
  for (const Order order : {Order::kForward, Order::kBackward}) {
    std::vector<int64_t> met = {5, 7, -7, 7};
    ASSERT_TRUE(RunKernel<Meet>({{4}, 32}, {met.data()}, order).ok());
    EXPECT_EQ(met[0], 5 + 127 * 128 / 2);
    EXPECT_EQ(static_cast<uint64_t>(met[1]), product);
    EXPECT_EQ(met[2], 99);
    EXPECT_EQ(met[3], -99);
  }
}

void SumOfWarp(const Thread& t, const Memory& m) {
  int64_t sum = t.x();
  for (int mask = 16; mask > 0; mask /= 2) sum += t.ShuffleXor(sum, mask);
  m.as<int64_t>(0)[t.x()] = sum;
}

TEST(Emulator, LanesShuffle) {
  std::vector<int64_t> y(64);
  ASSERT_TRUE(RunKernel<SumOfWarp>({{1}, 64}, {y.data()}).ok());
  EXPECT_EQ(y[0], 31 * 16);
  EXPECT_EQ(y[31], 31 * 16);
  EXPECT_EQ(y[32], 31 * 16 + 32 * 32);
}

// c [16, 8] = a [16, 32] b [8, 32]^T, both brought to shared memory 16 bytes at a time.
void MatrixProduct(const Thread& t, const Memory& m) {
  t.CopyAsync16(t.x() * 16, m.at[0] + t.x() * 16);
  if (t.x() < 16) t.CopyAsync16(512 + t.x() * 16, m.at[1] + t.x() * 16);
  t.CommitCopies();
  t.WaitCopies<0>();
  t.Barrier();
  uint32_t a[4], b_pair[4];
  const int row = t.lane() % 8, matrix = t.lane() / 8;
  t.LoadMatrix4((row + matrix % 2 * 8) * 32 + matrix / 2 * 16, a);
  t.LoadMatrix4(512 + row * 32 + matrix % 2 * 16, b_pair);
  int32_t c[4] = {1, 1, 1, 1};
  const uint32_t b[2] = {b_pair[0], b_pair[1]};
  t.MultiplyS8(c, a, b);
  for (int i = 0; i < 4; ++i) {
    m.as<int32_t>(2)[(t.lane() / 4 + i / 2 * 8) * 8 + t.lane() % 4 * 2 + i % 2] = c[i];
  }
}

TEST(Emulator, MatrixUnitMultipliesWhatLdmatrixLoads) {
  alignas(16) int8_t a[16][32], b[8][32];
  for (int i = 0; i < 16 * 32; ++i) a[i / 32][i % 32] = static_cast<int8_t>(i * 37 - 128);
  for (int i = 0; i < 8 * 32; ++i) b[i / 32][i % 32] = static_cast<int8_t>(i * 91 + 5);
  int32_t c[16][8];
  ASSERT_TRUE(RunKernel<MatrixProduct>({{1}, 32, 768}, {a, b, c}).ok());
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      int32_t sum = 1;
      for (int k = 0; k < 32; ++k) sum += a[i][k] * b[j][k];
      ASSERT_EQ(c[i][j], sum) << i << ", " << j;
    }
  }
}

// Rows of 128 bytes of both sides, swizzled; two products one after the other.
constexpr int kColumnsOfProduct = 128, kBytesOfA = 64 * kSwizzledRowBytes,
              kBytesOfB = kColumnsOfProduct * kSwizzledRowBytes;

void CopyMatrices(const Thread& t, const Memory& m) {
  for (int from = t.x() * 16; from < kBytesOfA + kBytesOfB; from += kWarpgroup * 16) {
    t.CopyAsync16(Swizzled(from), m.at[0] + from);
  }
  t.CommitCopies();
  t.WaitCopies<0>();
}

void MultiplyMatrices(const Thread& t, WarpgroupAccumulators<kColumnsOfProduct>& sums) {
  for (int byte = 0; byte < kSwizzledRowBytes; byte += 32) {
    t.MultiplyWarpgroup(sums, t.DescribeMatrix(byte), t.DescribeMatrix(kBytesOfA + byte));
  }
}

void WarpgroupProduct(const Thread& t, const Memory& m) {
  CopyMatrices(t, m);
  t.FenceAsyncProxy();
  t.Barrier();
  WarpgroupAccumulators<kColumnsOfProduct> sums(t);
  for (int i = 0; i < kColumnsOfProduct / 2; ++i) sums.Set(i, 1);
  t.FenceAccumulators();
  MultiplyMatrices(t, sums);
  t.CommitProducts();
  MultiplyMatrices(t, sums);
  t.CommitProducts();
  t.WaitProducts<0>();
  for (int i = 0; i < kColumnsOfProduct / 2; ++i) {
    const int row = t.warp() * 16 + t.lane() / 4 + i / 2 % 2 * 8;
    m.as<int32_t>(1)[row * kColumnsOfProduct + i / 4 * 8 + t.lane() % 4 * 2 + i % 2] = sums.Get(i);
  }
}

struct alignas(16) Matrices {
  int8_t a[64][kSwizzledRowBytes], b[kColumnsOfProduct][kSwizzledRowBytes];
};

TEST(Emulator, WarpgroupsMultiplyWhatIsSwizzledInSharedMemory) {
  static Matrices x;
  for (int i = 0; i < kBytesOfA; ++i) x.a[i / 128][i % 128] = static_cast<int8_t>(i * 37 + i / 128 - 128);
  for (int i = 0; i < kBytesOfB; ++i) x.b[i / 128][i % 128] = static_cast<int8_t>(i * 91 + i / 128 * 3 + 5);
  static int32_t c[64][kColumnsOfProduct];
  ASSERT_TRUE(RunKernel<WarpgroupProduct>({{1}, kWarpgroup, kBytesOfA + kBytesOfB}, {&x, c}).ok());
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < kColumnsOfProduct; ++j) {
      int32_t sum = 1;
      for (int k = 0; k < kSwizzledRowBytes; ++k) sum += 2 * x.a[i][k] * x.b[j][k];
      ASSERT_EQ(c[i][j], sum) << i << ", " << j;
    }
  }
}

// The fields of the PTX ISA's table, written out.
TEST(MatrixDescriptor, HasItsFieldsWhereTheUnitReadsThem) {
  const uint64_t bits = MatrixDescriptor::Encode(0x12340);
  EXPECT_EQ(bits & 0x3fff, 0x1234u);
  EXPECT_EQ(bits >> 32 & 0x3fff, 64u);  // 1024 bytes between atoms
  EXPECT_EQ(bits >> 49 & 7, 0u);
  EXPECT_EQ(bits >> 62, 1u);
  EXPECT_EQ(MatrixDescriptor(bits).address, 0x12340u);
  // Chunk c of row r of an atom is at chunk c ^ r.
  EXPECT_EQ(Swizzled(3 * kSwizzledRowBytes + 5 * 16), 3 * kSwizzledRowBytes + 6 * 16);
  EXPECT_EQ(MatrixDescriptor(MatrixDescriptor::Encode(2048 + 32)).AddressOf(9, 17),
            2048u + 1024 + 128 + 2 * 16 + 1);
}

void Dots(const Thread& t, const Memory& m) {
  int32_t sum = INT32_MAX;
  t.Dot4(sum, 0x80ff0102, 0x80020304);  // 2 * 4 + 1 * 3 - 1 * 2 + 128 * 128
  m.as<int32_t>(0)[t.x()] = sum;
}

TEST(Emulator, DotsWrap) {
  int32_t y;
  ASSERT_TRUE(RunKernel<Dots>({{1}, 1}, {&y}).ok());
  EXPECT_EQ(y, INT32_MIN + 8 + 3 - 2 + 128 * 128 - 1);
}

struct Refusal {
  const char* name;
  absl::Status (*run)();
  const char* message;
};

template <void (*kKernel)(const Thread&, const Memory&)>
absl::Status Refuse() {
  alignas(16) static uint8_t source[64];
  return RunKernel<kKernel>({{1}, 64, 256}, {source});
}

void ReadsAcross(const Thread& t, const Memory&) {
  t.StoreShared<int32_t>(t.x() * 4, 1);
  t.LoadShared<int32_t>((t.x() + 1) % 64 * 4);
}
void WritesWhatOthersRead(const Thread& t, const Memory&) {
  if (t.x() == 0) t.StoreShared<int32_t>(0, 1);
  t.Barrier();
  if (t.x() > 0) t.LoadShared<int32_t>(0);
  if (t.x() == 62) t.StoreShared<int32_t>(0, 2);
}
void WritesTheSame(const Thread& t, const Memory&) { t.StoreShared<int32_t>(0, 7); }
void ReadsNothing(const Thread& t, const Memory&) { t.LoadShared<int32_t>(t.x() * 4); }
void BarrierOfSome(const Thread& t, const Memory&) {
  if (t.x() < 32) t.Barrier();
}
void TwoBarriers(const Thread& t, const Memory&) {
  if (t.x() < 32) {
    t.Barrier();
  } else {
    t.Barrier();
  }
}
void ShuffleOfSome(const Thread& t, const Memory&) {
  if (t.x() != 5) t.ShuffleXor(1, 1);
}
void CopyInFlight(const Thread& t, const Memory& m) {
  if (t.x() > 0) return;
  t.CopyAsync16(0, m.at[0]);
  t.LoadShared<uint8_t>(3);
}
void CopyWithoutWait(const Thread& t, const Memory& m) {
  if (t.x() == 0) t.CopyAsync16(0, m.at[0]);
}
void CopyAskew(const Thread& t, const Memory& m) { t.CopyAsync16(0, m.at[0] + 4); }
void StoresAskew(const Thread& t, const Memory&) { t.StoreShared<int32_t>(t.x() * 4 + 2, 0); }
void StoresBeyond(const Thread& t, const Memory&) { t.StoreShared<int32_t>(256, 0); }

template <void (*kKernel)(const Thread&, const Memory&)>
absl::Status RefuseProduct() {
  static Matrices source;
  return RunKernel<kKernel>({{1}, kWarpgroup, kBytesOfA + kBytesOfB}, {&source});
}

// One product, with what `Step` says done or left out.
enum Step { kNothing, kFenceProxy, kBarrier, kFenceAccumulators, kAddress, kCommit, kWaitFirst, kKeepMemory };
template <Step kWithout>
void ProductWithout(const Thread& t, const Memory& m) {
  CopyMatrices(t, m);
  if (kWithout != kFenceProxy) t.FenceAsyncProxy();
  if (kWithout != kBarrier) t.Barrier();
  WarpgroupAccumulators<kColumnsOfProduct> sums(t);
  if (kWithout != kFenceAccumulators) t.FenceAccumulators();
  t.MultiplyWarpgroup(sums, t.DescribeMatrix(kWithout == kAddress ? 128 : 0), t.DescribeMatrix(kBytesOfA));
  if (kWithout == kKeepMemory) t.StoreShared<int32_t>(t.x() * 128, 0);
  if (kWithout != kCommit) t.CommitProducts();
  if (kWithout == kWaitFirst) sums.Get(0);
  t.WaitProducts<0>();
}
void ProductWithOtherSwizzle(const Thread& t, const Memory& m) {
  CopyMatrices(t, m);
  t.FenceAsyncProxy();
  t.Barrier();
  WarpgroupAccumulators<kColumnsOfProduct> sums(t);
  t.FenceAccumulators();
  t.MultiplyWarpgroup(sums, t.DescribeMatrix(0) ^ uint64_t{1} << 62, t.DescribeMatrix(kBytesOfA));
}
void ProductWithOtherDistance(const Thread& t, const Memory& m) {
  CopyMatrices(t, m);
  t.FenceAsyncProxy();
  t.Barrier();
  WarpgroupAccumulators<kColumnsOfProduct> sums(t);
  t.FenceAccumulators();
  t.MultiplyWarpgroup(sums, t.DescribeMatrix(0) ^ uint64_t{3} << 32, t.DescribeMatrix(kBytesOfA));
}
void ProductsThatDiffer(const Thread& t, const Memory& m) {
  CopyMatrices(t, m);
  t.FenceAsyncProxy();
  t.Barrier();
  WarpgroupAccumulators<kColumnsOfProduct> sums(t);
  t.FenceAccumulators();
  t.MultiplyWarpgroup(sums, t.DescribeMatrix(t.x() == 99 ? 32 : 0), t.DescribeMatrix(kBytesOfA));
}
void ProductOfSome(const Thread& t, const Memory&) {
  if (t.warp() > 0) t.CommitProducts();
}
void WritesBehindTheWait(const Thread& t, const Memory& m) {
  ProductWithout<kNothing>(t, m);
  t.StoreShared<int32_t>(t.x() * 128, 0);
}
void GivesUp(const Thread& t, const Memory&) { t.Trap(); }

constexpr Refusal kRefusals[] = {
    {"ReadAcrossThreads", Refuse<ReadsAcross>, "which nothing wrote"},
    {"WriteUnderReaders", Refuse<WritesWhatOthersRead>, "which another thread read"},
    {"EqualWrites", Refuse<WritesTheSame>, "which thread 0 wrote"},
    {"UnwrittenMemory", Refuse<ReadsNothing>, "which nothing wrote"},
    {"BarrierOfSomeThreads", Refuse<BarrierOfSome>, "which other threads never reach"},
    {"TwoBarriersAtOnce", Refuse<TwoBarriers>, "others wait at that of line"},
    {"ShuffleOfSomeLanes", Refuse<ShuffleOfSome>, "which other threads never reach"},
    {"CopyInFlight", Refuse<CopyInFlight>, "which a copy in flight writes"},
    {"CopyWithoutWait", Refuse<CopyWithoutWait>, "ends with copies in flight"},
    {"CopyFromUnaligned", Refuse<CopyAskew>, "not aligned to 16 bytes"},
    {"StoreUnaligned", Refuse<StoresAskew>, "not a multiple of 4"},
    {"ProductOfWhatIsNotFenced", RefuseProduct<ProductWithout<kFenceProxy>>, "wrote and did not fence"},
    {"ProductWithoutBarrier", RefuseProduct<ProductWithout<kBarrier>>, "wrote, with no barrier between them"},
    {"ProductOnAccumulatorsWithoutFence", RefuseProduct<ProductWithout<kFenceAccumulators>>,
     "touched, with no fence"},
    {"ProductInsideAnAtom", RefuseProduct<ProductWithout<kAddress>>, "does not begin with an atom"},
    {"ProductOfOtherSwizzle", RefuseProduct<ProductWithOtherSwizzle>, "not swizzled by 128 bytes"},
    {"ProductOfOtherDistance", RefuseProduct<ProductWithOtherDistance>, "do not lie one behind the other"},
    {"ProductsThatDiffer", RefuseProduct<ProductsThatDiffer>, "other matrices than other threads"},
    {"ProductWithoutCommit", RefuseProduct<ProductWithout<kCommit>>, "ends with products in flight"},
    {"AccumulatorsInFlight", RefuseProduct<ProductWithout<kWaitFirst>>, "that a product in flight changes"},
    {"WritesWhatAProductReads", RefuseProduct<ProductWithout<kKeepMemory>>,
     "which a product in flight reads"},
    {"WritesBehindTheWait", RefuseProduct<WritesBehindTheWait>, "another thread read, with no barrier"},
    {"ProductOfSomeWarps", RefuseProduct<ProductOfSome>, "which other threads never reach"},
    {"Trap", Refuse<GivesUp>, "gives up"},
    {"StoreBeyond", Refuse<StoresBeyond>, "which has 256"},
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameWhatIsWrong) {
  const std::string status = GetParam().run().ToString();
  EXPECT_NE(status.find(GetParam().message), std::string::npos) << status;
  // The next launch is not disturbed.
  std::vector<int64_t> y(64);
  EXPECT_TRUE(RunKernel<SumOfWarp>({{1}, 64}, {y.data()}).ok());
}

INSTANTIATE_TEST_SUITE_P(Emulator, Refusals, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tally::cuda
