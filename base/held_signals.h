// Signals that end a process (SIGINT, SIGTERM, SIGHUP; Ctrl-C and closed windows of Windows) wait while this
// lives.
//
//   const HeldSignals held;  // from here on files are made; Ctrl-C ends the process once all of them are whole
//
// POSIX holds them in the calling thread. A signal to the process goes to any thread that takes it, so
// threads of ours are made while it is held and keep that: signals then are for the threads of the program.
#pragma once

#if !defined(_WIN32)
#include <signal.h>
#endif

namespace tally {

class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

#if !defined(_WIN32)
 private:
  sigset_t before_;
#endif
};

}  // namespace tally
