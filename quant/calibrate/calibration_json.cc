#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/calibrate/calibration.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// Numbers are float32, so that the writer finds a decimal form for float and the reader rounds only once.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t, uint64_t, float>;

constexpr char kFormat[] = "tally-calibration";
constexpr int kVersion = 1;

absl::Status BadFormat(const std::string& message) { return MakeError(label::calibration_format, message); }

absl::StatusOr<int64_t> PositiveMember(const Json& object, const char* key, const std::string& owner) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number_integer() || member->get<int64_t>() < 1) {
    return BadFormat(owner + ": " + key + " is not a positive integer");
  }
  return member->get<int64_t>();
}

absl::StatusOr<float> FloatMember(const Json& object, const char* key, const std::string& owner) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number())
    return BadFormat(owner + ": " + key + " is not a number");
  return member->get<float>();
}

absl::StatusOr<Range> RangeFromJson(const Json& object, const std::string& name) {
  const std::string owner = "value '" + name + "'";
  if (!object.is_object() || object.size() != 3)
    return BadFormat(owner + " is not an object of count, max and min");
  Range range{};
  ASSIGN_OR_RETURN(range.count, PositiveMember(object, "count", owner));
  ASSIGN_OR_RETURN(range.max, FloatMember(object, "max", owner));
  ASSIGN_OR_RETURN(range.min, FloatMember(object, "min", owner));
  if (range.min > range.max) return MakeError(label::calibration_range, owner + ": min is above max");
  return range;
}

}  // namespace

std::string ToJson(const Calibration& calibration) {
  Json values = Json::object();
  for (const auto& [name, range] : calibration.values) {
    values[name] = {{"count", range.count}, {"max", range.max}, {"min", range.min}};
  }
  const Json document = {{"format", kFormat},
                         {"version", kVersion},
                         {"num_samples", calibration.num_samples},
                         {"values", values}};
  return document.dump(1) + "\n";
}

absl::StatusOr<Calibration> CalibrationFromJson(std::string_view text) {
  if (text.size() > kMaxCalibrationBytes) {
    return MakeError(label::calibration_json,
                     "the file has more than " + std::to_string(kMaxCalibrationBytes) + " bytes");
  }
  const Json document = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return MakeError(label::calibration_json, "the file is not JSON, or a number is too large");
  if (!document.is_object() || document.size() != 4) {
    return BadFormat("the file is not an object of format, num_samples, values and version");
  }
  if (document.value("format", Json()) != kFormat) return BadFormat("format is not tally-calibration");
  if (document.value("version", Json()) != kVersion) return BadFormat("version is not 1");
  Calibration calibration;
  ASSIGN_OR_RETURN(calibration.num_samples, PositiveMember(document, "num_samples", "the file"));
  const auto values = document.find("values");
  if (values == document.end() || !values->is_object()) return BadFormat("values is not an object");
  for (const auto& [name, object] : values->items()) {
    ASSIGN_OR_RETURN(calibration.values[name], RangeFromJson(object, name));
  }
  return calibration;
}

}  // namespace tally::quant
