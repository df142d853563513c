// The loops of MeasurePeaks, each compiled for its own instruction set.
#pragma once

#include <cstdint>

namespace tally::cli {

// Each returns the number of operations that `rounds` rounds make.
int64_t LoopAvx2(int64_t rounds);
int64_t LoopAvxVnni(int64_t rounds);
int64_t LoopAvx512(int64_t rounds);
int64_t LoopAvx512Vnni(int64_t rounds);
int64_t LoopAmxInt8(int64_t rounds);

// Loads every byte of a multiple of 256.
void ReadAvx512(const uint8_t* data, int64_t bytes);

}  // namespace tally::cli
