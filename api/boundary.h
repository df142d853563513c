// Where C calls Tally: errors leave as what a C interface makes of them, exceptions not at all.
//
//   return Guard([&]() -> absl::Status { ... }, [&](const Failure& failure) { Report(failure, error); });
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/labels.h"
#include "base/error.h"
#include "base/strings.h"

namespace tally::api {

// The reason of a failure. The texts are valid during the call.
struct Failure {
  absl::StatusCode code;
  std::string_view stage, label;  // empty for a status that MakeError did not make
  std::string_view message;
};

inline Failure FailureOf(Label label, std::string_view message) {
  return {label.code(), ErrorStageName(label.stage()), label.name(), message};
}

// Runs `body`, which returns an absl::Status. Where that is an error or an exception, calls `report` with it
// and returns false. Nothing is allocated after an exception. `report` throws nothing.
template <typename Body, typename Report>
bool Guard(const Body& body, const Report& report) noexcept {
  try {
    const absl::Status status = body();
    if (status.ok()) return true;
    const std::string label = ErrorLabel(status);
    const auto stage = ErrorStageOf(status);
    report(Failure{status.code(),
                   stage ? ErrorStageName(*stage) : std::string_view(),
                   label,
                   {status.message().data(), status.message().size()}});
  } catch (const std::bad_alloc&) {
    report(FailureOf(label::api_memory, "out of memory"));
  } catch (const std::length_error&) {  // more than any memory
    report(FailureOf(label::api_memory, "out of memory"));
  } catch (const std::exception& error) {
    report(FailureOf(label::api_exception, error.what()));
  } catch (...) {
    report(FailureOf(label::api_exception, "an exception of an unknown kind"));
  }
  return false;
}

// Error api_null; `name` is the caller's word for it.
inline absl::Status NotNull(const void* pointer, std::string_view name) {
  if (pointer != nullptr) return absl::OkStatus();
  return MakeError(label::api_null, absl::StrCat(ToAbsl(name), " is null"));
}

// `text` with a zero, as much of it as there is room for: no character of UTF-8 is cut in two.
inline void CopyText(std::string_view text, std::span<char> to) {
  size_t length = std::min(text.size(), to.size() - 1);
  const auto is_inside = [](char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; };
  while (length < text.size() && length > 0 && is_inside(text[length])) --length;
  std::copy_n(text.begin(), length, to.begin());
  to[length] = '\0';
}

}  // namespace tally::api
