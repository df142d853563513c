// Early return on a Status or StatusOr that is not OK (Debian's Abseil has no such macros yet).
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TALLY_CONCAT_INNER(a, b) a##b
#define TALLY_CONCAT(a, b) TALLY_CONCAT_INNER(a, b)

// RETURN_IF_ERROR(DoIt());
#define RETURN_IF_ERROR(expr)                                         \
  do {                                                                \
    if (absl::Status status_ = (expr); !status_.ok()) return status_; \
  } while (false)

// ASSIGN_OR_RETURN(const Module module, Decode(bytes));
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_IMPL(TALLY_CONCAT(statusor_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL(statusor, lhs, expr)         \
  auto statusor = (expr);                                  \
  if (!statusor.ok()) return std::move(statusor).status(); \
  lhs = std::move(statusor).value()
