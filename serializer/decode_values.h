// The small values that several sections hold (docs/spec/binary.md#values).
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "base/shape.h"

namespace tally {

// A varint of at most `limit` for whose elements, of `min_bytes` each at least, bytes remain: it is safe to
// allocate for them. Error count_limit.
absl::StatusOr<uint64_t> ReadCount(std::string_view what, uint64_t limit, uint64_t min_bytes,
                                   ByteReader& reader);

// A byte that is 0 or 1. Error bad_flag.
absl::StatusOr<bool> ReadFlag(ByteReader& reader);

// Errors shape_rank, shape_dim, shape_elements.
absl::StatusOr<Shape> ReadShape(ByteReader& reader);

}  // namespace tally
