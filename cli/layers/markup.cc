#include "cli/layers/markup.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tally::cli {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string Coordinate(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string trimmed = text;
  while (trimmed.back() == '0') trimmed.pop_back();
  if (trimmed.back() == '.') trimmed.pop_back();
  return trimmed;
}

std::string ColorOf(double sqnr_db) {
  const double share = std::isnan(sqnr_db) ? 0 : std::clamp((sqnr_db - 5) / 35, 0.0, 1.0);
  return "hsl(" + Coordinate(std::floor(120 * share)) + ",70%,80%)";
}

}  // namespace tally::cli
