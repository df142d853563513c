#include "server/signals.h"

#include <pthread.h>

namespace tally::server {

sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

bool EndsBySignal(const sigset_t& signals, std::chrono::seconds most) {
  const timespec interval = {.tv_sec = most.count(), .tv_nsec = 0};
  const int signal = sigtimedwait(&signals, nullptr, &interval);
  return signal == SIGTERM || signal == SIGINT;
}

}  // namespace tally::server
