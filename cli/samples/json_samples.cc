#include "cli/samples/json_samples.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxJsonBytes = uint64_t{1} << 30;
constexpr size_t kMaxLineBytes = size_t{1} << 26;

absl::Status Refusal(size_t line, std::string_view why) {
  return MakeError(label::json_lines, absl::StrCat("line ", line + 1, " ", ToAbsl(why)));
}

// A line of JSON, by its place among those that are not blank.
absl::StatusOr<Json> Parse(std::string_view text, size_t line) {
  if (text.size() > kMaxLineBytes) return Refusal(line, "has more than 64 MiB");
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Refusal(line, "is not JSON");
  return json;
}

// Appends the numbers of nested lists in their order, to `most`. Returns what is none, or nothing.
const Json* AddNumbers(const Json& lists, size_t most, std::vector<double>& numbers, bool& are_integers) {
  std::vector<const Json*> open = {&lists};  // still to read, the next last
  while (!open.empty()) {
    const Json& next = *open.back();
    open.pop_back();
    if (next.is_array()) {
      for (auto element = next.rbegin(); element != next.rend(); ++element) open.push_back(&*element);
    } else if (next.is_number() || next.is_boolean()) {
      if (numbers.size() > most) return nullptr;
      are_integers = are_integers && !next.is_number_float();
      numbers.push_back(next.is_boolean() ? (next.get<bool>() ? 1.0 : 0.0) : next.get<double>());
    } else {
      return &next;
    }
  }
  return nullptr;
}

class JsonSamples : public Samples {
 public:
  JsonSamples(std::vector<uint8_t> file, SampleForm form) : file_(std::move(file)), form_(std::move(form)) {
    const std::string_view text = AsText(file_);
    for (size_t first = 0; first < text.size();) {
      const size_t end = std::min(text.find('\n', first), text.size());
      const std::string_view line = text.substr(first, end - first);
      if (!absl::StripAsciiWhitespace(ToAbsl(line)).empty()) lines_.push_back(line);
      first = end + 1;
    }
  }

  int64_t count() const override { return static_cast<int64_t>(lines_.size()); }

  absl::StatusOr<SampleElements> Read(int64_t sample) override {
    const auto line = static_cast<size_t>(sample);
    ASSIGN_OR_RETURN(const Json json, Parse(lines_[line], line));
    const auto named = json.is_object() ? json.find(form_.name) : json.end();
    if (json.is_object() && named == json.end())
      return Refusal(line, absl::StrCat("has nothing called '", form_.name, "'"));
    const auto elements = static_cast<size_t>(quant::NumElements(form_.shape));
    std::vector<double> numbers;
    bool are_integers = true;
    if (AddNumbers(json.is_object() ? *named : json, elements, numbers, are_integers) != nullptr)
      return Refusal(line, "contains an element that is not a number");
    if (numbers.size() > elements) {
      return MakeError(form_.wrong_shape,
                       absl::StrCat("has more than ", elements, " numbers in line ", line + 1,
                                    ", and the input takes ", quant::ToString(form_.shape)));
    }
    numbers.resize(elements);  // the rest is zeros
    constexpr double kExact = 0x1p53;
    for (const double number : numbers) {
      if (are_integers && std::abs(number) > kExact) return Refusal(line, "holds an integer beyond 2^53");
    }
    if (are_integers) return std::vector<int64_t>(numbers.begin(), numbers.end());
    return std::vector<float>(numbers.begin(), numbers.end());
  }

  absl::StatusOr<Json> First() const { return Parse(lines_[0], 0); }

 private:
  std::vector<uint8_t> file_;
  SampleForm form_;
  std::vector<std::string_view> lines_;  // parts of file_
};

absl::StatusOr<std::unique_ptr<JsonSamples>> OpenLines(const std::string& path, const SampleForm& form) {
  ASSIGN_OR_RETURN(std::vector<uint8_t> file, ReadFile(path, kMaxJsonBytes));
  auto samples = std::make_unique<JsonSamples>(std::move(file), form);
  if (samples->count() == 0) return Refusal(0, "is missing: the file is blank");
  return samples;
}

}  // namespace

absl::StatusOr<bool> IsJsonLines(StoredBytes& file) {
  uint8_t start[16] = {};
  const auto size = std::min<uint64_t>(file.size(), sizeof start);
  RETURN_IF_ERROR(file.Read(0, std::span(start, size)));
  const absl::string_view text =
      absl::StripLeadingAsciiWhitespace(absl::string_view(reinterpret_cast<const char*>(start), size));
  return !text.empty() && (text[0] == '{' || text[0] == '[');
}

absl::StatusOr<std::vector<std::string>> JsonNames(const std::string& path) {
  ASSIGN_OR_RETURN(const auto samples, OpenLines(path, {}));
  ASSIGN_OR_RETURN(const Json first, samples->First());
  std::vector<std::string> names;
  if (first.is_object()) {
    for (const auto& [name, value] : first.items()) names.push_back(name);
  }
  return names;
}

absl::StatusOr<std::unique_ptr<Samples>> OpenJsonLines(const std::string& path, const SampleForm& form) {
  return OpenLines(path, form);
}

}  // namespace tally::cli
