#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/coreml/model_file.h"
#include "frontends/graph/labels.h"

namespace tally::coreml {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// "" where there is no such text.
std::string TextAt(const Json& object, const std::string& key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

absl::Status Malformed(const std::string& folder, const std::string& what) {
  return MakeError(label::model_malformed,
                   "'" + PrintableStart(folder) + "' is not a package of a Core ML model: " + what);
}

}  // namespace

// {"itemInfoEntries": {ID: {"path": "com.apple.CoreML/model.mlmodel", ..}}, "rootModelIdentifier": ID}
absl::StatusOr<std::string> ModelInPackage(const std::string& folder) {
  constexpr size_t kMostBytes = 1 << 20;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile((PathOf(folder) / kManifest).generic_string()));
  if (text.size() > kMostBytes) return Malformed(folder, "its Manifest.json is larger than 1 MiB");
  const Json manifest = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const std::string root = TextAt(manifest, "rootModelIdentifier");
  const auto entries = manifest.is_object() ? manifest.find("itemInfoEntries") : manifest.end();
  if (root.empty() || entries == manifest.end() || !entries->is_object() || !entries->contains(root))
    return Malformed(folder, "its Manifest.json names no root model");
  const fs::path path = PathOf(TextAt(entries->at(root), "path"));
  if (path.empty()) return Malformed(folder, "its Manifest.json says no path of the root model");
  // Links count as what they lead to.
  std::error_code error;
  const fs::path data = fs::canonical(PathOf(folder) / "Data", error);
  const fs::path file = error ? fs::path() : fs::canonical(data / path, error);
  if (error)
    return Malformed(folder, "there is no file 'Data/" + PrintableStart(path.generic_string()) + "'");
  const auto [end, rest] = std::mismatch(data.begin(), data.end(), file.begin(), file.end());
  if (path.is_absolute() || end != data.end() || rest == file.end())
    return Malformed(folder, "'" + PrintableStart(path.generic_string()) + "' is outside of its folder Data");
  return file.generic_string();
}

}  // namespace tally::coreml
