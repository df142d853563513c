#include "quant/calibrate/calibration_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/interval.h"
#include "base/status_macros.h"
#include "quant/calibrate/list_text.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// Numbers are float32, so that the writer finds a decimal form for float and the reader rounds only once.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t, uint64_t, float>;

constexpr char kFormat[] = "tally-calibration";
constexpr int kVersion = 2, kVersionOfRanges = 1;
constexpr char kReachMax[] = "reach_max", kReachMin[] = "reach_min";
constexpr int64_t kMostElements = std::numeric_limits<int64_t>::max();

absl::Status BadFormat(const std::string& message) { return MakeError(label::calibration_format, message); }

absl::StatusOr<int64_t> IntegerMember(const Json& object, const char* key, const std::string& owner,
                                      const Interval& within) {
  const auto member = object.find(key);
  const bool fits = member != object.end() && member->is_number_integer() &&
                    !(member->is_number_unsigned() && member->get<uint64_t>() > uint64_t{kMostElements}) &&
                    within.Contains(member->get<int64_t>());
  if (fits) return member->get<int64_t>();
  return BadFormat(owner + ": " + key + " is not an integer in " + within.ToString());
}

absl::StatusOr<float> FloatMember(const Json& object, const char* key, const std::string& owner) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number())
    return BadFormat(owner + ": " + key + " is not a number");
  return member->get<float>();
}

absl::StatusOr<Range> RangeFromJson(const Json& object, const std::string& name) {
  const std::string owner = "value '" + name + "'";
  const bool has_reach = object.is_object() && object.contains(kReachMax);
  if (!object.is_object() || object.size() != (has_reach ? 5 : 3))
    return BadFormat(owner +
                     " is not an object of count, max and min, and of reach_max and reach_min or neither");
  Range range{};
  ASSIGN_OR_RETURN(range.count, IntegerMember(object, "count", owner, {1, kMostElements}));
  ASSIGN_OR_RETURN(range.max, FloatMember(object, "max", owner));
  ASSIGN_OR_RETURN(range.min, FloatMember(object, "min", owner));
  if (range.min > range.max) return MakeError(label::calibration_range, owner + ": min is above max");
  if (has_reach) {
    Reach& reach = range.reach.emplace();
    ASSIGN_OR_RETURN(reach.max, FloatMember(object, kReachMax, owner));
    ASSIGN_OR_RETURN(reach.min, FloatMember(object, kReachMin, owner));
    if (reach.min > range.min || reach.max < range.max)
      return MakeError(label::calibration_range,
                       owner + ": its reach is within its range; leave out reach_max and reach_min");
  }
  return range;
}

absl::StatusOr<ValueHistogram> HistogramFromJson(const Json& object, const std::string& name) {
  const std::string owner = "histogram of '" + name + "'";
  if (!object.is_object() || object.size() != 4)
    return BadFormat(owner + " is not an object of counts, exponent, first and zeros");
  ValueHistogram histogram;
  ASSIGN_OR_RETURN(const int64_t exponent,
                   IntegerMember(object, "exponent", owner, {kLeastExponent, kLargestExponent}));
  histogram.exponent = static_cast<int>(exponent);
  ASSIGN_OR_RETURN(histogram.first, IntegerMember(object, "first", owner, {-kBins, kBins - 1}));
  ASSIGN_OR_RETURN(histogram.zeros, IntegerMember(object, "zeros", owner, {0, kMostElements}));
  const auto member = object.find("counts");
  const auto counts = member == object.end() || !member->is_string()
                          ? std::nullopt
                          : CountsFromText(member->get_ref<const std::string&>(),
                                           static_cast<size_t>(kBins - histogram.first));
  if (!counts.has_value())
    return BadFormat(owner + ": counts is not a list of counts that ends at bin " + std::to_string(kBins));
  histogram.counts = *counts;
  return histogram;
}

absl::Status CheckHistogram(const Calibration& calibration, const std::string& name,
                            const ValueHistogram& histogram) {
  const auto value = calibration.values.find(name);
  if (value == calibration.values.end())
    return MakeError(label::calibration_histogram, "no value is called '" + name + "'");
  Int128 elements = histogram.zeros;
  for (const int64_t count : histogram.counts) elements += count;
  if (elements == value->second.count) return absl::OkStatus();
  return MakeError(label::calibration_histogram, "that of '" + name + "' does not have " +
                                                     std::to_string(value->second.count) + " elements");
}

// The limits of a file, for its writer and its reader.
absl::Status CheckSizes(size_t bytes, int64_t bins) {
  if (bytes <= kMaxCalibrationBytes && bins <= static_cast<int64_t>(kMaxCalibrationBytes))
    return absl::OkStatus();
  return MakeError(label::calibration_json, "the calibration has " + std::to_string(bytes) + " bytes and " +
                                                std::to_string(bins) +
                                                " bins of histograms, and a file up to " +
                                                std::to_string(kMaxCalibrationBytes) + " of either");
}

constexpr char kWide[] = "wide";

// The lists of a file, by their keys; that of values is always there.
template <typename AnyWidths>
auto WidthMembers(AnyWidths& widths) {
  return std::array{std::pair{kWide, &widths.values}, std::pair{"wide_products", &widths.products},
                    std::pair{"wide_weights", &widths.weights}};
}

absl::Status ReadNames(const Json& document, const std::string& key, const Calibration& calibration,
                       std::set<std::string>& names) {
  const auto list = document.find(key);
  if (list == document.end()) return absl::OkStatus();
  if (!list->is_array()) return BadFormat(key + " is not a list");
  for (const Json& name : *list) {
    if (!name.is_string() || !calibration.values.contains(name.get_ref<const std::string&>())) {
      return BadFormat(key + " has an entry that is not the name of a value");
    }
    names.insert(name.get<std::string>());
  }
  return absl::OkStatus();
}

constexpr char kExponents[] = "exponents";

std::string ExponentsToText(const std::vector<int>& exponents) {
  return FloatsToText({exponents.begin(), exponents.end()});
}

absl::Status ReadExponents(const Json& document, Calibration& calibration) {
  const auto lists = document.find(kExponents);
  if (lists == document.end()) return absl::OkStatus();
  if (!lists->is_object()) return BadFormat("exponents is not an object");
  for (const auto& [name, text] : lists->items()) {
    const auto list = text.is_string() ? FloatsFromText(text.get_ref<const std::string&>()) : std::nullopt;
    const bool are_integers = list.has_value() && std::ranges::all_of(*list, [](float x) {
                                return x == std::floor(x) && std::abs(x) <= kMostExponent;
                              });
    if (!are_integers)
      return BadFormat("the exponents of '" + name + "' are not a list of integers up to 32");
    calibration.exponents[name].assign(list->begin(), list->end());
  }
  return absl::OkStatus();
}

absl::Status ReadSpread(const Json& document, size_t text_bytes, Calibration& calibration) {
  const auto histograms = document.find("histograms"), means = document.find("means");
  if (histograms == document.end() || !histograms->is_object() || means == document.end() ||
      !means->is_object() || !document.contains(kWide)) {
    return BadFormat("histograms or means is not an object, or wide not a list");
  }
  int64_t bins = 0;
  for (const auto& [name, object] : histograms->items()) {
    ASSIGN_OR_RETURN(ValueHistogram histogram, HistogramFromJson(object, name));
    RETURN_IF_ERROR(CheckHistogram(calibration, name, histogram));
    bins += std::ssize(histogram.counts);
    RETURN_IF_ERROR(CheckSizes(text_bytes, bins));
    calibration.histograms[name] = std::move(histogram);
  }
  for (const auto& [name, text] : means->items()) {
    const auto list = text.is_string() ? FloatsFromText(text.get_ref<const std::string&>()) : std::nullopt;
    if (!list.has_value()) return BadFormat("the means of '" + name + "' are not a list of floats");
    calibration.means[name] = *list;
  }
  for (const auto& [key, names] : WidthMembers(calibration.widths)) {
    RETURN_IF_ERROR(ReadNames(document, key, calibration, *names));
  }
  return ReadExponents(document, calibration);
}

}  // namespace

std::string ToJson(const Calibration& calibration) {
  Json values = Json::object();
  for (const auto& [name, range] : calibration.values) {
    Json& value = values[name] = {{"count", range.count}, {"max", range.max}, {"min", range.min}};
    if (!range.reach.has_value()) continue;
    value[kReachMax] = range.reach->max;
    value[kReachMin] = range.reach->min;
  }
  Json histograms = Json::object(), means = Json::object();
  for (const auto& [name, histogram] : calibration.histograms) {
    histograms[name] = {{"counts", CountsToText(histogram.counts)},
                        {"exponent", histogram.exponent},
                        {"first", histogram.first},
                        {"zeros", histogram.zeros}};
  }
  for (const auto& [name, list] : calibration.means) means[name] = FloatsToText(list);
  Json document = {{"format", kFormat}, {"version", kVersion},      {"num_samples", calibration.num_samples},
                   {"values", values},  {"histograms", histograms}, {"means", means}};
  for (const auto& [key, names] : WidthMembers(calibration.widths)) {
    if (key == kWide || !names->empty()) document[key] = *names;
  }
  for (const auto& [name, list] : calibration.exponents) document[kExponents][name] = ExponentsToText(list);
  return document.dump(1) + "\n";
}

absl::StatusOr<std::string> ToFileText(const Calibration& calibration) {
  int64_t bins = 0;
  for (const auto& [name, histogram] : calibration.histograms) bins += std::ssize(histogram.counts);
  RETURN_IF_ERROR(CheckSizes(0, bins));  // before the text is made
  std::string text = ToJson(calibration);
  RETURN_IF_ERROR(CheckSizes(text.size(), bins));
  return text;
}

absl::StatusOr<Calibration> CalibrationFromJson(std::string_view text) {
  RETURN_IF_ERROR(CheckSizes(text.size(), 0));
  const Json document = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return MakeError(label::calibration_json, "the file is not JSON, or a number is too large");
  if (!document.is_object() || document.value("format", Json()) != kFormat) {
    return BadFormat("the file is not an object whose format is tally-calibration");
  }
  const bool has_only_ranges = document.value("version", Json()) == kVersionOfRanges;
  if (!has_only_ranges && document.value("version", Json()) != kVersion)
    return BadFormat("version is neither 1 nor 2");
  const Widths none;
  size_t members = has_only_ranges ? 4 : 6;
  for (const auto& member : WidthMembers(none)) {
    if (!has_only_ranges && document.contains(member.first)) ++members;
  }
  if (!has_only_ranges && document.contains(kExponents)) ++members;
  if (document.size() != members) {
    return BadFormat(
        "the file has other members than format, num_samples, values, version and, in version 2, histograms, "
        "means, wide, wide_products, wide_weights and exponents");
  }
  Calibration calibration;
  ASSIGN_OR_RETURN(calibration.num_samples,
                   IntegerMember(document, "num_samples", "the file", {1, kMostElements}));
  const auto values = document.find("values");
  if (values == document.end() || !values->is_object()) return BadFormat("values is not an object");
  for (const auto& [name, object] : values->items()) {
    ASSIGN_OR_RETURN(calibration.values[name], RangeFromJson(object, name));
  }
  if (!has_only_ranges) RETURN_IF_ERROR(ReadSpread(document, text.size(), calibration));
  return calibration;
}

}  // namespace tally::quant
