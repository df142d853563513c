#include "quant/calibrate/list_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace tally::quant {
namespace {

constexpr size_t kShortestRun = 3;

template <typename T>
void Append(T number, std::string& text) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// The number that `text` is, whole.
template <typename T>
std::optional<T> Number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Each word of `text` in turn, while `take` likes them; words are separated by one space.
template <typename Take>
bool ForEachWord(std::string_view text, Take take) {
  while (!text.empty()) {
    const size_t length = static_cast<size_t>(std::ranges::find(text, ' ') - text.begin());
    if (!take(text.substr(0, length))) return false;
    if (length + 1 == text.size()) return false;  // a space at the end
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return true;
}

}  // namespace

std::string CountsToText(const std::vector<int64_t>& counts) {
  std::string text;
  for (size_t i = 0; i < counts.size();) {
    size_t run = 1;
    while (i + run < counts.size() && counts[i + run] == counts[i]) ++run;
    if (run < kShortestRun) run = 1;
    if (i > 0) text += ' ';
    Append(counts[i], text);
    if (run > 1) {
      text += '*';
      Append(run, text);
    }
    i += run;
  }
  return text;
}

std::optional<std::vector<int64_t>> CountsFromText(std::string_view text, size_t most) {
  std::vector<int64_t> counts;
  const bool complete = ForEachWord(text, [&](std::string_view word) {
    const size_t star = static_cast<size_t>(std::ranges::find(word, '*') - word.begin());
    const std::optional<int64_t> count = Number<int64_t>(word.substr(0, star));
    const std::optional<size_t> run = star < word.size() ? Number<size_t>(word.substr(star + 1)) : 1;
    if (!count.has_value() || *count < 0 || !run.has_value() || *run > most - counts.size()) return false;
    counts.insert(counts.end(), *run, *count);
    return true;
  });
  return complete ? std::optional(std::move(counts)) : std::nullopt;
}

std::string FloatsToText(const std::vector<float>& floats) {
  std::string text;
  for (const float x : floats) {
    if (!text.empty()) text += ' ';
    Append(x, text);
  }
  return text;
}

std::optional<std::vector<float>> FloatsFromText(std::string_view text) {
  std::vector<float> floats;
  const bool complete = ForEachWord(text, [&](std::string_view word) {
    const std::optional<float> x = Number<float>(word);
    if (!x.has_value() || !std::isfinite(*x)) return false;
    floats.push_back(*x);
    return true;
  });
  return complete ? std::optional(std::move(floats)) : std::nullopt;
}

}  // namespace tally::quant
