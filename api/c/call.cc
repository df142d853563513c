#include "api/c/call.h"

#include "base/strings.h"

namespace tally::api {

void WriteError(const Failure& failure, tally_error& error) {
  error.status = static_cast<tally_status>(failure.code);
  CopyText(failure.stage, error.stage);
  CopyText(failure.label, error.label);
  CopyText(failure.message, error.message);
}

absl::Status CheckSize(size_t bytes, size_t least) {
  if (bytes >= least) return absl::OkStatus();
  return MakeError(label::api_struct,
                   absl::StrCat("a struct says that it has ", bytes, " bytes, not ", least));
}

absl::Status NotNegative(int64_t option, std::string_view name) {
  if (option >= 0) return absl::OkStatus();
  return MakeError(label::api_option, absl::StrCat(ToAbsl(name), " is ", option));
}

absl::Status InRange(int64_t option, int64_t most, std::string_view name) {
  if (0 <= option && option <= most) return absl::OkStatus();
  return MakeError(label::api_option,
                   absl::StrCat(ToAbsl(name), " is ", option, ", where 0 to ", most, " is possible"));
}

absl::Status WriteText(std::string_view text, char* to, size_t capacity, size_t* size) {
  RETURN_IF_ERROR(NotNull(size, "size"));
  *size = text.size();
  if (capacity > 0) RETURN_IF_ERROR(NotNull(to, "text"));
  if (capacity <= text.size()) {
    return MakeError(label::api_buffer,
                     absl::StrCat("a text of ", text.size(), " bytes and a zero, for memory of ", capacity));
  }
  CopyText(text, {to, capacity});
  return absl::OkStatus();
}

absl::Status WriteDigest(const Digest& digest, uint8_t* to) {
  RETURN_IF_ERROR(NotNull(to, "the place for the digest"));
  std::ranges::copy(digest, to);
  return absl::OkStatus();
}

}  // namespace tally::api
