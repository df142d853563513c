#include "base/held_signals.h"

#include <windows.h>

#include <shared_mutex>

namespace tally {
namespace {

std::shared_mutex& Held() {
  static std::shared_mutex& mutex = *new std::shared_mutex;
  return mutex;
}

// Windows calls it in a thread of its own, and ends the process after it has returned.
BOOL WINAPI Wait(DWORD) {
  Held().lock();
  return FALSE;
}

}  // namespace

HeldSignals::HeldSignals() {
  static const bool handled = SetConsoleCtrlHandler(Wait, TRUE) != 0;
  static_cast<void>(handled);
  Held().lock_shared();
}

HeldSignals::~HeldSignals() { Held().unlock_shared(); }

}  // namespace tally
