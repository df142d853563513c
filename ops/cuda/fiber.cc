#include "ops/cuda/fiber.h"

#include <cstdint>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace tally::cuda {
namespace {

constexpr size_t kStackBytes = 128 << 10;  // instrumented frames are wide

// ThreadSanitizer is told which stack runs.
#ifdef __SANITIZE_THREAD__
void* NewTsanFiber() { return __tsan_create_fiber(0); }
void DestroyTsanFiber(void* fiber) { __tsan_destroy_fiber(fiber); }
void* CurrentTsanFiber() { return __tsan_get_current_fiber(); }
void SwitchTsanTo(void* fiber) { __tsan_switch_to_fiber(fiber, 0); }
#else
void* NewTsanFiber() { return nullptr; }
void DestroyTsanFiber(void*) {}
void* CurrentTsanFiber() { return nullptr; }
void SwitchTsanTo(void*) {}
#endif

}  // namespace

Fiber::Fiber() : stack_(new char[kStackBytes]), own_tsan_(NewTsanFiber()) {
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(static_cast<uint64_t>(self) >> 32));
}

Fiber::~Fiber() { DestroyTsanFiber(own_tsan_); }

void Fiber::Enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>(uint64_t{high} << 32 | low));
  for (;;) {
    self->run_();
    self->active_ = false;
    self->Leave();
  }
}

void Fiber::Resume() {
  caller_tsan_ = CurrentTsanFiber();
  SwitchTsanTo(own_tsan_);
  swapcontext(&caller_, &own_);
}

void Fiber::Leave() {
  SwitchTsanTo(caller_tsan_);
  swapcontext(&own_, &caller_);
}

}  // namespace tally::cuda
