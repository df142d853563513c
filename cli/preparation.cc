#include "cli/preparation.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

bool Allows(const OneOf& allowed, const std::string& word) {
  return std::ranges::any_of(allowed.words, [&](const char* one) { return word == one; });
}
template <typename T>
bool Allows(const Within<T>& allowed, T number) {
  return number >= allowed.least && number <= allowed.most;
}

// Whether it is of the kind that the field is.
template <typename T>
bool Holds(const Json& json) {
  if constexpr (std::is_same_v<T, std::string>) return json.is_string();
  if constexpr (std::is_same_v<T, int64_t>) return json.is_number_integer();
  if constexpr (std::is_same_v<T, double>) return json.is_number();
}

// The options that were taken of those that were kept, and the others.
class Origins {
 public:
  void Add(bool is_taken, std::string what) { (is_taken ? taken_ : others_).push_back(std::move(what)); }

  std::string Text() const {
    std::vector<std::string> parts;
    if (!taken_.empty())
      parts.push_back(absl::StrCat(absl::StrJoin(taken_, ", "), ", as the module was quantized"));
    if (!others_.empty())
      parts.push_back(absl::StrCat("not ", absl::StrJoin(others_, ", "), ", with which it was quantized"));
    return absl::StrJoin(parts, "; ");
  }

 private:
  std::vector<std::string> taken_, others_;
};

}  // namespace

Json ToJson(const Preparation& preparation) {
  Json json = Json::object();
  ForEachField([&](const char* name, auto member, const auto&, const char*) {
    if (const auto& value = preparation.*member; value.has_value()) json[name] = *value;
  });
  return json;
}

std::optional<Preparation> PreparationFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  Preparation preparation;
  size_t known = 0;
  bool is_valid = true;
  ForEachField([&](const char* name, auto member, const auto& allowed, const char*) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    ++known;
    using T = typename std::remove_reference_t<decltype(preparation.*member)>::value_type;
    is_valid = is_valid && Holds<T>(*found) && Allows(allowed, found->template get<T>());
    if (is_valid) preparation.*member = found->template get<T>();
  });
  return is_valid && known == json.size() ? std::optional(preparation) : std::nullopt;
}

std::pair<Preparation, std::string> Prepared(const Preparation& given, const Preparation& kept) {
  const bool has_size = given.resize.has_value() || given.fit.has_value();
  Preparation prepared = given;
  Origins origins;
  ForEachField([&](const char* name, auto member, const auto&, const char*) {
    auto& value = prepared.*member;
    const auto& was = kept.*member;
    if (!was.has_value() || value == was) return;
    const bool is_size = std::string_view(name) == "resize" || std::string_view(name) == "fit";
    const bool is_taken = !value.has_value() && !(is_size && has_size);
    origins.Add(is_taken, absl::StrCat(name, " ", *was));
    if (is_taken) value = was;
  });
  return {prepared, origins.Text()};
}

std::pair<ServedInputOptions, std::string> Prepared(const ServedInputOptions& given,
                                                    const ServedInputOptions& kept) {
  ServedInputOptions prepared = given;
  Origins origins;
  using Options = std::vector<std::string>;
  for (const auto& [name, member] :
       {std::pair<const char*, Options ServedInputOptions::*>("input-grid", &ServedInputOptions::grids),
        {"mean", &ServedInputOptions::means},
        {"std", &ServedInputOptions::stds}}) {
    Options& options = prepared.*member;
    const Options& was = kept.*member;
    if (was.empty() || options == was) continue;
    origins.Add(options.empty(), absl::StrCat(name, " ", absl::StrJoin(was, " ")));
    if (options.empty()) options = was;
  }
  return {prepared, origins.Text()};
}

}  // namespace tally::cli
