#include "server/protocol/json_elements.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

constexpr int kMostDepth = 16;  // no tensor has more dimensions

// Calls f with a value of the C++ type of a datatype.
template <typename F>
auto ForDatatype(Datatype datatype, F f) {
  switch (datatype) {
    case Datatype::kBool: return f(bool{});
    case Datatype::kInt8: return f(int8_t{});
    case Datatype::kUint8: return f(uint8_t{});
    case Datatype::kInt16: return f(int16_t{});
    case Datatype::kUint16: return f(uint16_t{});
    case Datatype::kInt32: return f(int32_t{});
    case Datatype::kUint32: return f(uint32_t{});
    case Datatype::kInt64: return f(int64_t{});
    case Datatype::kUint64: return f(uint64_t{});
    case Datatype::kFp32: break;
  }
  return f(float{});
}

// Whether a JSON value is one of T, which is then set.
template <typename T>
bool Read(const nlohmann::json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
  } else if constexpr (std::is_same_v<T, float>) {
    if (!json.is_number()) return false;
    const double real = json.get<double>();
    if (!(std::fabs(real) <= std::numeric_limits<float>::max())) return false;
    value = static_cast<float>(real);
  } else if (json.is_number_unsigned()) {
    if (!std::in_range<T>(json.get<uint64_t>())) return false;
    value = static_cast<T>(json.get<uint64_t>());
  } else {
    if (!json.is_number_integer() || !std::in_range<T>(json.get<int64_t>())) return false;
    value = static_cast<T>(json.get<int64_t>());
  }
  return true;
}

template <typename T>
absl::Status AppendElements(const nlohmann::json& data, size_t most, int depth, std::string& bytes) {
  if (depth > kMostDepth) return MakeError(label::request_form, "the arrays of an input's data are too deep");
  for (const nlohmann::json& element : data) {
    if (element.is_array()) {
      RETURN_IF_ERROR(AppendElements<T>(element, most, depth + 1, bytes));
      continue;
    }
    T value{};
    if (!Read(element, value))
      return MakeError(label::request_form, "an element of an input's data is not a value of its datatype");
    if (bytes.size() / sizeof value >= most)
      return MakeError(label::request_form, "an input has more data than its shape has elements");
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ElementsOfJson(const nlohmann::json& data, Datatype datatype, size_t most) {
  if (!data.is_array()) return MakeError(label::request_form, "the data of an input is not an array");
  std::string bytes;
  RETURN_IF_ERROR(ForDatatype(
      datatype, [&](auto value) { return AppendElements<decltype(value)>(data, most, 1, bytes); }));
  return bytes;
}

void AppendJson(Datatype datatype, std::string_view data, std::string& json) {
  json.push_back('[');
  ForDatatype(datatype, [&](auto value) {
    for (size_t at = 0; at < data.size(); at += sizeof value) {
      std::memcpy(&value, data.data() + at, sizeof value);
      if (at > 0) json.push_back(',');
      if constexpr (std::is_same_v<decltype(value), bool>) {
        json += value ? "true" : "false";
      } else {
        char text[32];
        json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
      }
    }
  });
  json.push_back(']');
}

void AppendJson(std::string_view text, std::string& json) {
  json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tally::server
