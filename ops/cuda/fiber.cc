#include "ops/cuda/fiber.h"

#include <cstdint>

namespace tally::cuda {
namespace {

constexpr size_t kStackBytes = 128 << 10;  // instrumented frames are wide

}  // namespace

Fiber::Fiber() : stack_(new char[kStackBytes]) {
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(static_cast<uint64_t>(self) >> 32));
}

void Fiber::Enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>(uint64_t{high} << 32 | low));
  for (;;) {
    self->run_();
    self->active_ = false;
    self->Leave();
  }
}

void Fiber::Resume() { swapcontext(&caller_, &own_); }
void Fiber::Leave() { swapcontext(&own_, &caller_); }

}  // namespace tally::cuda
