// A function that runs on a stack of its own and can be left and resumed.
//
//   Fiber fiber;
//   fiber.Start([&] { ...; fiber.Leave(); ... });
//   while (fiber.active()) fiber.Resume();
#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>

namespace tally::cuda {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives the fiber its next function; it is not active.
  void Start(std::function<void()> run) {
    run_ = std::move(run);
    active_ = true;
  }
  // Runs the function until it leaves or ends.
  void Resume();
  // Called by the function: returns from Resume.
  void Leave();
  bool active() const { return active_; }

 private:
  static void Enter(unsigned low, unsigned high);

  std::unique_ptr<char[]> stack_;
  ucontext_t own_, caller_;
  void *own_tsan_, *caller_tsan_ = nullptr;  // the same for ThreadSanitizer
  std::function<void()> run_;
  bool active_ = false;
};

}  // namespace tally::cuda
