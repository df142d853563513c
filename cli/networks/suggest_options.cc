#include "cli/networks/suggest_options.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

using frontend::DeclaredDim;
using frontend::DeclaredInput;
using frontend::GivenInputs;

// A guess at all that is open: `length` for dimensions whose names say nothing, `flag` for booleans.
struct Guess {
  int64_t length = 0;
  std::optional<int> flag;  // nothing: inputs are not fixed
};

bool HasWord(std::string name, std::initializer_list<std::string_view> words) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}

bool IsOpen(const DeclaredDim& dim) { return dim.size <= 0; }

// Whether ShapeOfInput wants to hear of it.
bool IsOpenInput(const DeclaredInput& input, const GivenInputs& given) {
  if (given.shapes.contains(input.name)) return false;
  if (!input.shape.has_value()) return true;
  for (size_t i = 1; i < input.shape->size(); ++i) {
    const DeclaredDim& dim = (*input.shape)[i];
    if (IsOpen(dim) && !given.dims.contains(dim.name)) return true;
  }
  return false;
}

int64_t SizeOf(const DeclaredInput& input, size_t axis, const GivenInputs& given, int64_t length) {
  const DeclaredDim& dim = (*input.shape)[axis];
  const size_t rank = input.shape->size();
  if (!IsOpen(dim)) return dim.size;
  if (const auto named = given.dims.find(dim.name); named != given.dims.end()) return named->second;
  if (HasWord(dim.name, {"batch"})) return given.batch;
  if (HasWord(dim.name, {"past"})) return 0;
  if (axis == 0 && rank > 1) return given.batch;
  if (HasWord(dim.name, {"channel"}) || (rank == 4 && axis == 1)) return 3;
  // States of recurrent networks are [layers, batch, width].
  if (rank == 3 && axis == 1 && !IsOpen((*input.shape)[0]) && !IsOpen((*input.shape)[2])) return given.batch;
  return length;
}

std::string ShapeText(const DeclaredInput& input, const GivenInputs& given, int64_t length) {
  if (!input.shape.has_value()) return "1,3,224,224";
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < input.shape->size(); ++axis)
    dims.push_back(SizeOf(input, axis, given, length));
  return absl::StrJoin(dims, ",");
}

// The likely value at which an input of one integer or flag is fixed; nothing for others.
std::optional<int64_t> ValueOf(const DeclaredInput& input, int flag) {
  if (!input.is_integer || !input.shape.has_value()) return std::nullopt;
  const bool is_one = std::ranges::all_of(*input.shape, [](const DeclaredDim& dim) { return dim.size == 1; });
  if (!is_one) return std::nullopt;
  if (input.is_flag) return flag;
  if (HasWord(input.name, {"sr", "rate", "freq", "fs"})) return 16000;
  return 1;
}

Suggestion OptionsFor(const Guess& guess, const frontend::ModelReport& report, const GivenInputs& given) {
  Suggestion suggestion;
  for (const DeclaredInput& input : report.declared) {
    if (given.values.contains(input.name)) continue;
    const auto value = guess.flag.has_value() ? ValueOf(input, *guess.flag) : std::nullopt;
    if (value.has_value()) {
      suggestion.options.insert(suggestion.options.end(), {"--fix", absl::StrCat(input.name, "=", *value)});
    } else if (IsOpenInput(input, given)) {
      suggestion.options.insert(suggestion.options.end(),
                                {"--shape", input.name + "=" + ShapeText(input, given, guess.length)});
    }
  }
  return suggestion;
}

// Images first where an input has their rank, and then lengths of sound, of text and of windows.
std::vector<int64_t> LengthsFor(const frontend::ModelReport& report) {
  const bool has_images = std::ranges::any_of(report.declared, [](const DeclaredInput& input) {
    return !input.shape.has_value() || input.shape->size() == 4;
  });
  if (has_images) return {224, 320, 640, 64};
  return {128, 64, 512, 576, 16000, 16};
}

absl::Status ImportWith(const LoadedModel& model, frontend::ImportOptions import,
                        const std::vector<std::string>& options) {
  NetworkFile network;
  for (size_t i = 0; i < options.size(); i += 2)
    (options[i] == "--fix" ? network.fixed : network.shapes).push_back(options[i + 1]);
  ASSIGN_OR_RETURN(const frontend::ImportOptions parsed, ImportOptionsOf(network));
  import.inputs.shapes.insert(parsed.inputs.shapes.begin(), parsed.inputs.shapes.end());
  import.inputs.values.insert(parsed.inputs.values.begin(), parsed.inputs.values.end());
  return model.format->import(model.bytes, import).status();
}

}  // namespace

Suggestion SuggestOptions(const LoadedModel& model, const frontend::ImportOptions& given,
                          const frontend::ModelReport& report) {
  // A large model is tried once: each try imports all of it.
  const bool is_large = model.bytes.size() > size_t{1} << 26 || report.layers.size() > 10000;
  const size_t most_tries = is_large ? 1 : 12;
  std::vector<Suggestion> tried;
  const std::vector<int64_t> lengths = LengthsFor(report);
  for (const std::optional<int> flag : {std::optional<int>(), std::optional<int>(0), std::optional<int>(1)}) {
    for (const int64_t length : lengths) {
      Suggestion suggestion = OptionsFor({length, flag}, report, given.inputs);
      if (suggestion.options.empty() || tried.size() == most_tries) continue;
      if (std::ranges::find(tried, suggestion.options, &Suggestion::options) != tried.end()) continue;
      suggestion.imports = ImportWith(model, given, suggestion.options).ok();
      if (suggestion.imports) return suggestion;
      tried.push_back(std::move(suggestion));
    }
  }
  return tried.empty() ? Suggestion() : tried[0];
}

}  // namespace tally::cli
