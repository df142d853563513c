// Ends runs from another thread.
//
//   Cancellation cancellation;
//   std::thread watch([&] { if (LateBy(deadline)) cancellation.Cancel(); });
//   plan->Execute(inputs, {.cancellation = &cancellation});  // error cancelled, if it was in time
//
// A run looks before each of its steps, so that it ends after the one that is running.
#pragma once

#include <atomic>

#include "absl/status/status.h"

namespace tally {

class Cancellation {
 public:
  // For all runs that have it, those that begin later too.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_ = false;
};

// `cancellation` is null in a run that nobody can cancel.
inline bool IsCancelled(const Cancellation* cancellation) {
  return cancellation != nullptr && cancellation->cancelled();
}

// Error cancelled, where it is.
absl::Status NotCancelled(const Cancellation* cancellation);

}  // namespace tally
