#include "server/protocol/datatype.h"

#include <array>
#include <limits>

namespace tally::server {
namespace {

struct DatatypeRow {
  std::string_view name;
  int64_t size_bytes;
  Interval values;  // the integers among them
};

constexpr Interval kEvery = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

// In the order of the enumeration.
constexpr std::array<DatatypeRow, 10> kRows = {{{"BOOL", 1, {0, 1}},
                                                {"INT8", 1, {-128, 127}},
                                                {"UINT8", 1, {0, 255}},
                                                {"INT16", 2, {-32768, 32767}},
                                                {"UINT16", 2, {0, 65535}},
                                                {"INT32", 4, {-2147483648, 2147483647}},
                                                {"UINT32", 4, {0, 4294967295}},
                                                {"INT64", 8, kEvery},
                                                {"UINT64", 8, {0, kEvery.hi}},
                                                {"FP32", 4, {0, 0}}}};

}  // namespace

std::string_view NameOf(Datatype datatype) { return kRows[static_cast<size_t>(datatype)].name; }

std::optional<Datatype> DatatypeOf(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<Datatype>(i);
  }
  return std::nullopt;
}

int64_t SizeBytes(Datatype datatype) { return kRows[static_cast<size_t>(datatype)].size_bytes; }

Datatype NarrowestDatatype(const Interval& interval) {
  for (size_t i = static_cast<size_t>(Datatype::kInt8); i < static_cast<size_t>(Datatype::kInt64); ++i) {
    if (kRows[i].values.Contains(interval)) return static_cast<Datatype>(i);
  }
  return Datatype::kInt64;
}

}  // namespace tally::server
