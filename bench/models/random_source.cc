#include "bench/models/random_source.h"

#include <algorithm>

namespace tally::bench {

uint64_t RandomSource::Next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

int64_t RandomSource::Uniform(int64_t lo, int64_t hi) {
  const uint64_t span = static_cast<uint64_t>(hi - lo) + 1;
  return lo + static_cast<int64_t>((Next() >> 32) * span >> 32);
}

int8_t RandomSource::Weight() {
  uint64_t bits = Next();
  int sum = 0;
  for (int i = 0; i < 8; ++i, bits >>= 8) sum += static_cast<int>(bits & 0xff);
  return static_cast<int8_t>((sum - 4 * 255) / 8);
}

std::vector<int8_t> RandomSource::Weights(int64_t count) {
  std::vector<int8_t> weights(static_cast<size_t>(count));
  for (int8_t& w : weights) w = Weight();
  return weights;
}

Tensor RandomTensor(const TensorType& type, RandomSource& random) {
  Tensor tensor(type.shape, type.storage());
  uint8_t* bytes = tensor.mutable_bytes().data();
  for (int64_t i = 0; i < type.shape.num_elements(); ++i) {
    StoreElement(type.storage(), bytes, i, random.Uniform(type.interval.lo, type.interval.hi));
  }
  return tensor;
}

std::vector<Tensor> RandomInputs(std::span<const TensorType> params, uint64_t seed) {
  RandomSource random(seed);
  std::vector<Tensor> inputs;
  for (const TensorType& type : params) inputs.push_back(RandomTensor(type, random));
  return inputs;
}

}  // namespace tally::bench
