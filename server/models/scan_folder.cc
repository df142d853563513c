#include "server/models/scan_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/strings.h"

namespace tally::server {
namespace {

namespace fs = std::filesystem;

// Nothing where there is no file.
std::optional<FileStamp> StampOf(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || S_ISDIR(found.st_mode)) return std::nullopt;
  const auto nanoseconds = static_cast<uint64_t>(found.st_mtim.tv_sec) * 1'000'000'000 +
                           static_cast<uint64_t>(found.st_mtim.tv_nsec);
  return FileStamp{found.st_dev, found.st_ino, static_cast<uint64_t>(found.st_size), nanoseconds};
}

void AddModel(const std::string& name, const std::string& version, const ModelFiles& files,
              FoundModels& found) {
  FoundModel model;
  const auto take = [&](const std::string& path, size_t place, std::string& to) {
    const std::optional<FileStamp> stamp = StampOf(path);
    if (!stamp) return false;
    to = path;
    model.stamps[place] = *stamp;
    return true;
  };
  if (!take(files.module, 0, model.files.module)) return;
  take(files.config, 1, model.files.config);
  take(files.origin, 2, model.files.origin);
  found[{name, version}] = std::move(model);
}

bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text[0] != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool IsModelName(std::string_view name) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 128 && name[0] != '.' && std::ranges::all_of(name, is_of_name);
}

absl::StatusOr<FoundModels> ScanFolder(const std::string& folder) {
  constexpr std::string_view kEnding = ".tally";
  FoundModels found;
  std::error_code error;
  for (fs::directory_iterator entry(PathOf(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string(), path = entry->path().string();
    std::error_code of_entry;
    if (!IsModelName(name)) continue;
    if (!entry->is_directory(of_entry)) {
      if (!name.ends_with(kEnding) || name.size() == kEnding.size()) continue;
      const std::string model = name.substr(0, name.size() - kEnding.size());
      const std::string beside = path.substr(0, path.size() - kEnding.size());
      AddModel(model, "1", {path, beside + ".json", path + ".origin"}, found);
      continue;
    }
    for (fs::directory_iterator version(entry->path(), of_entry), last; !of_entry && version != last;
         version.increment(of_entry)) {
      if (const std::string number = version->path().filename().string(); IsVersion(number)) {
        const std::string module = version->path().string() + "/model.tally";
        AddModel(name, number, {module, path + "/config.json", module + ".origin"}, found);
      }
    }
  }
  if (error) return MakeError(label::file_open, absl::StrCat("'", Printable(folder), "': ", error.message()));
  return found;
}

}  // namespace tally::server
