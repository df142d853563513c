// The signals that end a server, or have it look at its files.
#pragma once

#include <signal.h>

#include <chrono>

namespace tally::server {

// Blocks SIGTERM, SIGINT and SIGHUP in this thread and those that it begins, so that WaitForSignal gets them.
sigset_t BlockSignals();

// Whether SIGTERM or SIGINT came; false after SIGHUP, and when the time has passed.
bool EndsBySignal(const sigset_t& signals, std::chrono::seconds most);

}  // namespace tally::server
