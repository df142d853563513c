// Every bound on a module, each with its reason (docs/spec/limits.md lists them for users).
#pragma once

#include <cstdint>

#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/op_table.h"

namespace tally {

// Shapes: kMaxRank, kMaxDim and kMaxElements in base/shape.h. Attribute lists: kMaxAttributeList in
// ops/attributes.h. Operands of an instruction: kMaxOperands in ops/op_table.h.

inline constexpr uint32_t kSpecVersion = 1;

// Over all functions of a module. A validator keeps about 200 bytes for each value.
inline constexpr int64_t kMaxInstructions = int64_t{1} << 16;
inline constexpr int64_t kMaxConstants = int64_t{1} << 16;
inline constexpr int64_t kMaxOperandsOfModule = int64_t{1} << 20;  // over all instructions and functions
// The memory planner compares every pair of values that are live at once: 2^22 pairs take it 32 MiB.
inline constexpr int64_t kMaxLivePairs = int64_t{1} << 22;
inline constexpr int64_t kMaxParams = 1024;   // a function's
inline constexpr int64_t kMaxResults = 1024;  // a function's
// Networks repeat a few kinds of blocks; a validator keeps some hundred bytes for each function.
inline constexpr int64_t kMaxFunctions = 1024;
// Parameters, results of instructions and results of functions, over all functions: an instruction may have
// as many results as the function that it calls.
inline constexpr int64_t kMaxValues = int64_t{1} << 18;
// Functions that run inside one another, the entry included: an engine's stack has a frame for each.
inline constexpr int64_t kMaxCallDepth = 64;

// Constants: the file is mapped, so the limit is address arithmetic, not memory.
inline constexpr int64_t kMaxConstantBytes = int64_t{1} << 40;
inline constexpr int64_t kConstantAlignment = 64;  // one cache line; enough for every vector load

// Elements of constants that type rules may read in one validation: each constant 16 times over, and a base
// for small modules. So the time of a validation stays proportional to the size of the module.
inline constexpr int64_t kMaxConstantReadsFactor = 16;
inline constexpr int64_t kMaxConstantReadsBase = int64_t{1} << 22;

// Entries that validation computes from recipes: 16 tables of 16-bit values. Each takes about 0.1 s, and one
// that is made to be hard some seconds (docs/spec/limits.md).
inline constexpr int64_t kMaxRecipeEntriesOfModule = int64_t{1} << 20;

// Metadata is for people: names and scales of the entry's parameters and results.
inline constexpr int64_t kMaxNameBytes = 256;

// Gas of a module and bytes of its arena: both fit int64_t with room for sums. Each instruction costs this
// before its own formula: decoding, dispatch and bookkeeping. A function costs as much, to be entered and
// left; and for each parameter and result, and each of their elements: callers check and engines copy them.
inline constexpr int64_t kGasPerInstruction = 640;
inline constexpr int64_t kGasPerFunction = 640;
inline constexpr int64_t kGasPerPassedValue = 64;
inline constexpr int64_t kGasPerPassedElement = 16;
inline constexpr int64_t kMaxGas = int64_t{1} << 62;
inline constexpr int64_t kMaxArenaBytes = int64_t{1} << 60;

// CVM's own bounds, enforced in profile cvm: at most 6 dims of at most 2^24, 2^30 elements.
inline constexpr int kCvmMaxRank = 6;
inline constexpr int64_t kCvmMaxDim = int64_t{1} << 24;
inline constexpr int64_t kCvmMaxElements = int64_t{1} << 30;
inline constexpr int kCvmMaxPrecision = 32;

}  // namespace tally
