#include "cli/notes.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/origin_file.h"
#include "cli/preparation.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

constexpr size_t kMostBytesOfLabel = 1024;

using List = std::vector<std::string>;

Json JsonOf(const List& names) {
  Json json = Json::array();
  for (const std::string& name : names) {
    const std::string whole = Printable(name);
    json.push_back(IsLabel(whole) ? whole : PrintableStart(name));  // a file may call them anything
  }
  return json;
}

// Adds what `json` has under `key` to `list`; false where that is no list of labels.
bool ReadList(const Json& json, const char* key, List& list) {
  const Json found = json.value(key, Json::array());
  if (!found.is_array()) return false;
  for (const Json& one : found) {
    if (!one.is_string() || !IsLabel(one.get<std::string>())) return false;
    list.push_back(one.get<std::string>());
  }
  return true;
}

// The lists of notes, by their keys.
std::vector<std::pair<const char*, List*>> ListsOf(Notes& notes) {
  return {{"labels", &notes.labels},
          {"bgr_inputs", &notes.bgr_inputs},
          {"input_grid", &notes.served.grids},
          {"mean", &notes.served.means},
          {"std", &notes.served.stds}};
}

}  // namespace

bool IsLabel(std::string_view text) {
  if (text.size() > kMostBytesOfLabel) return false;
  while (!text.empty()) {
    const Utf8Character c = FirstUtf8Character(text);
    if (c.size == 0 || c.code < ' ' || c.code == 0x7f) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

std::string NotesBeside(const std::string& module) { return module + ".notes"; }

std::string TextOfNotes(const std::string& module_id, const Notes& notes) {
  Json json = {{"module", module_id}};
  Notes copy = notes;
  for (const auto& [key, list] : ListsOf(copy)) {
    if (!list->empty()) json[key] = JsonOf(*list);
  }
  const Json preparation = ToJson(notes.preparation);
  if (!preparation.empty()) json["preparation"] = preparation;
  return json.dump(1) + "\n";
}

absl::StatusOr<Notes> ReadNotesBeside(const std::string& path, const Module& module) {
  const std::string beside = NotesBeside(path);
  std::error_code error;
  if (!std::filesystem::exists(PathOf(beside), error)) return Notes();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(beside));
  const Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  const absl::Status malformed = MakeError(
      label::notes_form, absl::StrCat("'", beside, "' is not a file of notes that `tally quantize` writes"));
  if (!json.is_object() || !json.value("module", Json()).is_string()) return malformed;
  const Digest id = ModuleId(module);
  if (json["module"] != ToHex(id)) return Notes();
  ASSIGN_OR_RETURN(const std::optional<Origin> origin, ReadOriginBeside(path, id));
  if (origin.has_value() && !origin->notes.has_value()) return Notes();  // it was quantized anew without any
  if (origin.has_value() && *origin->notes != Sha256Hash(bytes)) {
    return MakeError(label::notes_form,
                     absl::StrCat("'", beside, "' is not the file that '", OriginBeside(path),
                                  "' names: quantize again, or remove it and give its options"));
  }
  Notes notes;
  for (const auto& [key, list] : ListsOf(notes)) {
    if (!ReadList(json, key, *list)) return malformed;
  }
  const auto preparation = PreparationFromJson(json.value("preparation", Json::object()));
  if (!preparation.has_value()) return malformed;
  notes.preparation = *preparation;
  return notes;
}

}  // namespace tally::cli
