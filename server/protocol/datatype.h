// The element types of the Open Inference Protocol that the parameters and results of a module travel in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/interval.h"

namespace tally::server {

enum class Datatype { kBool, kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kInt64, kUint64, kFp32 };

std::string_view NameOf(Datatype datatype);  // "BOOL", "INT8", ...
std::optional<Datatype> DatatypeOf(std::string_view name);
int64_t SizeBytes(Datatype datatype);

// The first of INT8, UINT8, INT16, ... that holds every integer of the interval.
Datatype NarrowestDatatype(const Interval& interval);

}  // namespace tally::server
