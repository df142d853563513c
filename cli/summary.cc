#include "cli/summary.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/hash/digest.h"
#include "base/printable.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

std::string Line(std::string_view name, std::string_view text) {
  constexpr size_t kWidth = 8;
  std::string line(name);
  line.resize(std::max(line.size() + 1, kWidth), ' ');
  return line.append(text).append("\n");
}

}  // namespace

void Summary::Add(std::string_view name, std::string_view key, Json value, std::string_view unit) {
  std::string text = value.is_string() ? Printable(value.get<std::string>()) : value.dump();
  if (!unit.empty()) text.append(" ").append(unit);
  Say(name, text, key, std::move(value));
}

void Summary::Say(std::string_view name, std::string_view text, std::string_view key, Json value) {
  text_ += Line(name, text);
  AddForMachines(key, std::move(value));
}

void Summary::AddForMachines(std::string_view key, Json value) { json_[std::string(key)] = std::move(value); }

void Summary::Warn(std::string_view key, std::string_view text) {
  text_ += Line("warning", Printable(std::string(text)));
  json_["warnings"].push_back(std::string(key));
}

void Summary::AddModule(const ValidModule& module) {
  Add("module", "module_id", ToHex(ModuleId(module.module())));
  Add("gas", "gas", module.gas());
  Add("arena", "arena_bytes", module.arena_bytes(), "bytes");
}

void Summary::AddShare(std::string_view name, std::string_view key, double share, std::string_view what) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.2f %%", 100 * share);
  Say(name, std::string(percent).append(" ").append(what), key, share);
}

void Summary::Wrote(const std::string& path, size_t bytes) {
  text_ += Line("wrote", Printable(path) + ", " + std::to_string(bytes) + " bytes");
  json_["files"].push_back({{"file", path}, {"bytes", bytes}});
}

void Summary::Print(bool json, std::ostream& out) const {
  if (json) {
    PrintJson(json_, out);
  } else {
    out << text_;
  }
}

}  // namespace tally::cli
