// Memory of exactly as many bytes as a kernel may touch, so that sanitizers see what it reads beyond them,
// and with guards that show what it writes there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace tally {

class GuardedBuffer {
 public:
  static constexpr size_t kGuard = 64;

  // `misalign` bytes after a multiple of 64. No guard after the bytes when they are only read.
  GuardedBuffer(size_t size, bool writable, size_t misalign = 0)
      : size_(size), front_(kGuard + misalign), back_(writable ? kGuard : 0) {
    bytes_.reset(static_cast<uint8_t*>(::operator new(front_ + size + back_, std::align_val_t(64))));
    std::memset(bytes_.get(), kFiller, front_ + size + back_);
  }

  uint8_t* data() { return bytes_.get() + front_; }
  std::span<const uint8_t> bytes() const { return {bytes_.get() + front_, size_}; }
  void Assign(std::span<const uint8_t> bytes) { std::copy(bytes.begin(), bytes.end(), data()); }
  bool GuardsAreIntact() const {
    const auto intact = [](uint8_t byte) { return byte == kFiller; };
    return std::all_of(bytes_.get(), bytes_.get() + front_, intact) &&
           std::all_of(bytes_.get() + front_ + size_, bytes_.get() + front_ + size_ + back_, intact);
  }

 private:
  static constexpr uint8_t kFiller = 0xa5;
  struct Delete {
    void operator()(uint8_t* p) const { ::operator delete(p, std::align_val_t(64)); }
  };

  size_t size_, front_, back_;
  std::unique_ptr<uint8_t, Delete> bytes_;
};

}  // namespace tally
