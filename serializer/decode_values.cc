#include "serializer/decode_values.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/labels.h"

namespace tally {

absl::StatusOr<uint64_t> ReadCount(std::string_view what, uint64_t limit, uint64_t min_bytes,
                                   ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadVarint());
  if (count > limit) {
    return MakeError(label::count_limit, absl::StrCat(ToAbsl(what), ": ", count, " exceeds ", limit,
                                                      " before byte ", reader.position()));
  }
  if (count > reader.remaining() / min_bytes) {
    return MakeError(label::count_limit,
                     absl::StrCat(ToAbsl(what), ": ", count, " do not fit the ", reader.remaining(),
                                  " bytes behind byte ", reader.position()));
  }
  return count;
}

absl::StatusOr<bool> ReadFlag(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint8_t flag, reader.ReadByte());
  if (flag > 1)
    return MakeError(label::bad_flag, absl::StrCat("flag ", flag, " before byte ", reader.position()));
  return flag == 1;
}

absl::StatusOr<Shape> ReadShape(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t rank, reader.ReadVarint());
  if (rank > kMaxRank) {
    return MakeError(label::shape_rank,
                     absl::StrCat("rank ", rank, " exceeds ", kMaxRank, " before byte ", reader.position()));
  }
  std::array<int64_t, kMaxRank> dims;
  for (uint64_t i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(const uint64_t dim, reader.ReadVarint());
    // A dim beyond int64 must not wrap into range; Create refuses what is left.
    dims[i] = static_cast<int64_t>(std::min<uint64_t>(dim, uint64_t{kMaxDim} + 1));
  }
  return Shape::Create(std::span<const int64_t>(dims.data(), rank));
}

}  // namespace tally
