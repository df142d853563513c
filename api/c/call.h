// The frame of every function of tally.h: its error, and structs that know their size.
//
//   return Call(error, [&]() -> absl::Status {
//     ASSIGN_OR_RETURN(const tally_plan_options read, ReadStruct(options));
//     ...
//     return WriteStruct(result, info);
//   });
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/boundary.h"
#include "api/c/tally.h"
#include "api/labels.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"

namespace tally::api {

// Fills in all but the size.
void WriteError(const Failure& failure, tally_error& error);

// Runs `body`, which returns an absl::Status, and says in `error`, unless that is null, how it ended.
template <typename Body>
tally_status Call(tally_error* error, const Body& body) noexcept {
  if (error != nullptr && error->size < sizeof *error) return TALLY_INVALID_ARGUMENT;
  tally_status status = TALLY_OK;
  const bool ok = Guard(body, [&](const Failure& failure) {
    status = static_cast<tally_status>(failure.code);
    if (error != nullptr) WriteError(failure, *error);
  });
  if (ok && error != nullptr) WriteError({absl::StatusCode::kOk, "", "", ""}, *error);
  return status;
}

// Error api_struct, where a struct says that it has less than `least` bytes.
absl::Status CheckSize(size_t bytes, size_t least);

// The caller's struct, with 0 in fields that it is too old to have; all 0 but the size where it is null.
// Error api_struct: smaller than its first version, or with fields that are not 0 and not known here.
template <typename Struct>
absl::StatusOr<Struct> ReadStruct(const Struct* given, size_t first_version = sizeof(Struct)) {
  Struct read = {};
  read.size = sizeof read;
  if (given == nullptr) return read;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(given);
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  RETURN_IF_ERROR(CheckSize(given->size, first_version));
  if (given->size > sizeof read && !std::all_of(bytes + sizeof read, bytes + given->size, is_zero))
    return MakeError(label::api_struct, "a struct has fields that this version of the library does not know");
  std::memcpy(&read, given, std::min(given->size, sizeof read));
  read.size = sizeof read;
  return read;
}

// `value` into the caller's struct, as much of it as that has room for. Errors: api_null, api_struct.
template <typename Struct>
absl::Status WriteStruct(Struct value, Struct* given, size_t first_version = sizeof(Struct)) {
  RETURN_IF_ERROR(NotNull(given, "the place for the result"));
  RETURN_IF_ERROR(CheckSize(given->size, first_version));
  value.size = given->size;
  std::memcpy(given, &value, std::min(given->size, sizeof value));
  return absl::OkStatus();
}

// The most threads of a plan or of a run.
inline constexpr int kMostThreads = 1024;

// Error api_option.
absl::Status NotNegative(int64_t option, std::string_view name);
// The same where it is not in [0, most].
absl::Status InRange(int64_t option, int64_t most, std::string_view name);

// A limit of the caller, of which 0 is none.
inline int64_t LimitOf(int64_t limit) { return limit == 0 ? std::numeric_limits<int64_t>::max() : limit; }

// `text` with a zero into `capacity` bytes; its length into `size`, also where it does not fit. `text` may be
// null where `capacity` is 0. Errors: api_null; api_buffer.
absl::Status WriteText(std::string_view text, char* to, size_t capacity, size_t* size);

// Error api_null.
absl::Status WriteDigest(const Digest& digest, uint8_t* to);

}  // namespace tally::api
