// The machine that a figure belongs to.
#pragma once

#include <string>

#include "base/cpu_flags.h"

namespace tally::bench {

// Processor, flags, caches, memory, load, and what caps the engine: a few lines for the head of a report.
std::string DescribeMachine(CpuFlags cpu);

// Keeps this process, and those that it starts, on the last `threads` processors that it may use, so that no
// contender is moved between them; the first one serves most interrupts. False, with nothing changed, where
// there are fewer or the system refuses.
bool PinTo(int threads);

}  // namespace tally::bench
