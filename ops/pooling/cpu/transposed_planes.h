// Row-major planes, transposed in groups: what is side by side is then one position of many planes, and
// loops over channels take them. A row of a plane is too short for loops of its own.
#pragma once

#include "ops/cpu/scratch.h"
#include "ops/pooling/cpu/planes.h"

namespace tally {

// For x and y of a group: they stay in the second-level cache.
inline constexpr int64_t kMostTransposedBytes = 1 << 20;

// How many planes are transposed at once; 0 where they are few or large, or windows leave out most of them,
// and they are taken as they are.
inline int64_t PlanesAtOnce(const Planes& planes, Storage x, Storage y) {
  const int64_t bytes = planes.positions() * SizeBytes(x) + planes.places() * SizeBytes(y);
  if (planes.channels > 1 || bytes > kMostTransposedBytes) return 0;
  if (2 * planes.places() * planes.MostTaps() < planes.positions()) return 0;
  for (int64_t n = 64 / SizeBytes(x); n * SizeBytes(x) >= 16; n /= 2) {
    if (n <= planes.count && n * bytes <= kMostTransposedBytes) return n;
  }
  return 0;
}

// As many planes as channels of one.
inline Planes AsChannels(Planes planes, int64_t count) {
  planes.count = 1;
  planes.channels = count;
  return planes;
}

struct TransposeBuffers {
  ScratchLayout scratch;
  uint8_t *x, *y, *rest;  // rest: scratch of the loops over channels

  TransposeBuffers(const Planes& planes, int64_t at_once, Storage x_storage, Storage y_storage,
                   int64_t rest_bytes, uint8_t* bytes)
      : scratch(bytes),
        x(scratch.Take<uint8_t>(at_once * planes.positions() * SizeBytes(x_storage))),
        y(scratch.Take<uint8_t>(at_once * planes.places() * SizeBytes(y_storage))),
        rest(scratch.Take<uint8_t>(rest_bytes)) {}
};

// Calls run(call, planes) for the planes of this part, `at_once` as the channels of one at a time: x and y of
// that call are in scratch.
template <Isa isa, typename Run>
void TransposePlanes(const KernelCall& call, const Planes& planes, int64_t at_once, Run run) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  KernelOperand x = call.operands[0];
  KernelResult y = call.results[0];
  const uint8_t* const x_bytes = x.bytes;
  uint8_t* const y_bytes = y.bytes;
  const TransposeBuffers buffers(planes, at_once, x.storage, y.storage, 0, call.scratch);
  x.bytes = buffers.x;
  y.bytes = buffers.y;
  const KernelCall inner = {.operands = {&x, 1}, .results = {&y, 1}, .scratch = buffers.rest};
  const int64_t positions = planes.positions(), places = planes.places();
  const Share share = call.ShareOf(planes.count);
  for (int64_t first = share.begin; first < share.end; first += at_once) {
    // A group at the end begins among the planes before it.
    const int64_t n = std::min(at_once, share.end - share.begin), from = std::min(first, share.end - n);
    convert.transpose[CodeOf(x.storage)](x_bytes + from * positions * SizeBytes(x.storage), positions,
                                         buffers.x, n, positions, n);
    run(inner, AsChannels(planes, n));
    convert.transpose[CodeOf(y.storage)](buffers.y, n, y_bytes + from * places * SizeBytes(y.storage), places,
                                         n, places);
  }
}

}  // namespace tally
