// The root of a tensor by kernels, on the emulation, against the host's.
#include "ops/cuda/hash/merkle.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/hash/tensor_leaves.h"
#include "ops/cuda/emulated_kernels.h"

namespace tally::cuda {
namespace {

Tensor Noise(const Shape& shape, Storage storage) {
  Tensor tensor(shape, storage);
  uint32_t state = 1;
  for (uint8_t& byte : tensor.mutable_bytes())
    byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return tensor;
}

Digest RootByKernels(const Tensor& tensor, Order order) {
  const Work work = TensorRootWork(tensor.storage(), tensor.shape());
  Digest root = {};
  std::vector<std::vector<uint8_t>> scratch;
  for (const int64_t bytes : work.scratch_bytes) scratch.emplace_back(bytes);
  for (const Launch& launch : work.launches) {
    Memory memory = {};
    for (size_t i = 0; i < launch.memory.size(); ++i) {
      const Ref& ref = launch.memory[i];
      memory.at[i] = ref.source == Source::kOperand  ? const_cast<uint8_t*>(tensor.bytes().data())
                     : ref.source == Source::kResult ? root.data()
                                                     : scratch[ref.index].data();
    }
    const absl::Status status =
        Emulate(EmulatedKernelOf(launch.kernel), memory, launch.params.data(), launch.shape, order);
    EXPECT_TRUE(status.ok()) << status;
  }
  return root;
}

void ExpectRootsOfTheHost(std::initializer_list<int64_t> dims, Storage storage) {
  const Tensor tensor = Noise(*Shape::Create(dims), storage);
  for (const Order order : {Order::kForward, Order::kBackward}) {
    EXPECT_EQ(RootByKernels(tensor, order), TensorRoot(tensor.view())) << tensor.shape().ToString();
  }
}

// Where the padding of SHA-256 fits into the last block, and where it needs one more.
TEST(TensorRootWork, HashesLeavesOfEverySize) {
  for (int64_t size = 1; size <= 130; ++size) ExpectRootsOfTheHost({size}, Storage::kI8);
  for (int64_t size = 1015; size <= 1024; ++size) ExpectRootsOfTheHost({size}, Storage::kI8);
}

TEST(TensorRootWork, JoinsAnyNumberOfLeaves) {
  for (int64_t leaves = 1; leaves <= 40; ++leaves) ExpectRootsOfTheHost({leaves, 1000}, Storage::kI8);
  ExpectRootsOfTheHost({257, 513}, Storage::kI8);
}

TEST(TensorRootWork, CutsFibersAsTheHostDoes) {
  ExpectRootsOfTheHost({}, Storage::kI64);
  ExpectRootsOfTheHost({3, 1500}, Storage::kI8);
  ExpectRootsOfTheHost({5, 300}, Storage::kI16);
  ExpectRootsOfTheHost({2, 3, 129}, Storage::kI64);
  ExpectRootsOfTheHost({1025, 1}, Storage::kI32);
}

}  // namespace
}  // namespace tally::cuda
