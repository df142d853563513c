// Kernels may read after their operands, but no further than a plan has made room for: not after its
// working memory, not after constants, not after what the caller gives. Here all of these end where no page
// is.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/testing/random_source.h"
#include "engines/engine.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace {

constexpr size_t kPage = 4096, kLine = 64;

// Maps of pages whose last one may not be touched, by the address in front of it that was given away.
struct Maps {
  std::mutex mutex;
  std::map<void*, std::pair<void*, size_t>> by_address;
};

Maps& AllMaps() {
  static Maps* const maps = new Maps;
  return *maps;
}

}  // namespace

// Memory that begins on a cache line: the memory of plans, and here that of the caller.
void* operator new(size_t size, std::align_val_t alignment) {
  if (static_cast<size_t>(alignment) > kLine) std::abort();  // these modules are small
  const size_t pages = (size + kPage - 1) / kPage * kPage + kPage;
  void* const map = mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  uint8_t* const end = static_cast<uint8_t*>(map) + pages - kPage;
  if (mprotect(end, kPage, PROT_NONE) != 0) std::abort();
  void* const bytes = end - (size + kLine - 1) / kLine * kLine;
  const std::lock_guard lock(AllMaps().mutex);
  AllMaps().by_address[bytes] = {map, pages};
  return bytes;
}
void operator delete(void* bytes, std::align_val_t) noexcept {
  const std::lock_guard lock(AllMaps().mutex);
  const auto found = AllMaps().by_address.find(bytes);
  if (found == AllMaps().by_address.end()) return;
  munmap(found->second.first, found->second.second);
  AllMaps().by_address.erase(found);
}
void operator delete(void* bytes, size_t, std::align_val_t alignment) noexcept {
  operator delete(bytes, alignment);
}

namespace tally {
namespace {

constexpr Interval kBytes = {-128, 127}, kWords = {-300, 300};

// Sizes of whole cache lines, so that what ends on one ends on a page.
class Writer {
 public:
  explicit Writer(uint64_t seed) : source_(seed), b_(Profile::kCore) {}

  Module Write() {
    const bool image = source_.OneIn(2), constant = source_.OneIn(4);
    const int64_t depth = source_.Between(1, 70), columns = source_.Between(1, 40);
    const Interval elements = source_.OneIn(2) ? kBytes : kWords;
    const Shape shape = image ? Dims({1, depth, 8, 8}) : Dims({64, depth});
    ValueId x = 0;
    if (constant) {
      b_.Param("unused", {Dims({64}), kBytes});
      x = Constant(shape, elements);
    } else {
      x = b_.Param("x", {shape, elements});
      if (source_.OneIn(2)) x = b_.Op(Opcode::kRelu, {x});  // in working memory
    }
    if (!image && source_.OneIn(3)) {  // the last rows, where they are
      x = b_.Op(Opcode::kStridedSlice, {x},
                StridedSliceAttrs{.begin = {32, 0}, .end = {64, depth}, .stride = {1, 1}});
    }
    for (int layers = static_cast<int>(source_.Between(1, 3)); layers > 0; --layers) {
      x = image ? Convolution(x, layers == 1 ? columns : depth, depth)
                : b_.Op(Opcode::kMatmul, {x, Constant(Dims({depth, layers == 1 ? columns : depth}))},
                        MatmulAttrs{});
      if (layers > 1 || source_.OneIn(2)) x = Rescale(x);
    }
    b_.Result("y", x);
    return std::move(b_).Build();
  }

  // Constants stay where they are.
  std::vector<AlignedVector<uint8_t>> TakeConstants() { return std::move(constants_); }

 private:
  static Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

  ValueId Constant(const Shape& shape, const Interval& elements = kBytes) {
    std::vector<int64_t> values = source_.Values(shape.num_elements(), elements);
    values[0] = elements.lo;
    const Tensor tensor = *Tensor::FromValues(shape, values);
    const auto& bytes = constants_.emplace_back(tensor.bytes().begin(), tensor.bytes().end());
    return b_.Borrow({tensor.storage(), shape, {bytes.data(), bytes.size()}});
  }
  ValueId Convolution(ValueId x, int64_t out, int64_t in) {
    const int64_t kernel = source_.OneIn(2) ? 1 : 3, pad = kernel / 2;
    return b_.Op(Opcode::kConvolution, {x, Constant(Dims({out, in, kernel, kernel}))},
                 ConvolutionAttrs{
                     .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {pad, pad}, .pad_end = {pad, pad}});
  }
  ValueId Rescale(ValueId x) {
    const auto one = [&](int64_t v) { return b_.Constant(*Tensor::FromValues(Dims({1}), {v})); };
    return b_.Op(Opcode::kRescale, {x, one(1 << 30), one(0), one(38)}, RescaleAttrs{.lo = -128, .hi = 127});
  }

  RandomSource source_;
  std::vector<AlignedVector<uint8_t>> constants_;
  ModuleBuilder b_;
};

TEST(Guard, NothingIsReadBehindMemory) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Writer writer(seed);
    auto valid = Validate(writer.Write());
    ASSERT_TRUE(valid.ok()) << valid.status();
    const auto constants = writer.TakeConstants();
    const auto module = std::make_shared<const ValidModule>(*std::move(valid));
    const TensorType& param = module->entry().params[0];
    AlignedVector<uint8_t> input(param.size_bytes());
    for (int64_t i = 0; i < param.shape.num_elements(); ++i)
      StoreElement(param.storage(), input.data(), i, i % 101 - 50);
    const TensorView view = {param.storage(), param.shape, {input.data(), input.size()}};
    AlignedVector<uint8_t> expected(module->types()[module->entry().results[0]].size_bytes());
    const std::span<uint8_t> expected_memory[] = {expected};
    ASSERT_TRUE((*MakePlan("reference", module))->ExecuteInto({{view}}, expected_memory, {}).ok());
    for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << level);
      const auto plan = *MakePlan("cpu", module, {.threads = 2, .level = level});
      AlignedVector<uint8_t> y(expected.size());
      const std::span<uint8_t> memory[] = {y};
      ASSERT_TRUE(plan->ExecuteInto({{view}}, memory, {}).ok());
      ASSERT_EQ(y, expected);
    }
  }
}

}  // namespace
}  // namespace tally
