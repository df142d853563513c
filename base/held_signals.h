// Signals that end a process (SIGINT, SIGTERM, SIGHUP) wait while this lives, in the calling thread.
//
//   const HeldSignals held;  // from here on files are made; Ctrl-C ends the process once all of them are whole
//
// A signal to the process goes to any thread that takes it, so threads of ours are made while it is held and
// keep that: signals then are for the threads of the program.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace tally {

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tally
