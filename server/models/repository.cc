#include "server/models/repository.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

// Nothing where it is no number, which no version is.
std::optional<int64_t> NumberOf(std::string_view version) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) return std::nullopt;
  return number;
}

absl::Status UnknownModel(const std::string& name, const std::string& version) {
  return MakeError(
      label::model_unknown,
      absl::StrCat("there is no model '", PrintableStart(name), "'",
                   version.empty() ? "" : absl::StrCat(" of version '", PrintableStart(version), "'")));
}

}  // namespace

absl::Status Repository::Scan() {
  const std::lock_guard scanning(scanning_);
  ASSIGN_OR_RETURN(const FoundModels found, ScanFolder(folder_));
  std::map<Key, FoundModel> wanted;
  std::vector<Key> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name_and_version, model] : found) {
      const auto& [name, version] = name_and_version;
      if (!unloaded_.contains(name)) wanted.emplace(Key(name, *NumberOf(version)), model);
    }
    for (const auto& [key, entry] : entries_) {
      if (!wanted.contains(key)) gone.push_back(key);
    }
  }
  for (const Key& key : gone) Drop(key);
  for (const auto& [key, model] : wanted) Take(key, model);
  const std::lock_guard lock(mutex_);
  scanned_ = true;
  return absl::OkStatus();
}

void Repository::Take(const Key& key, const FoundModel& found) {
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(key);
    // A file that could not be read is tried again: the next try may find it whole.
    if (entry != entries_.end() && entry->second.stamps == found.stamps &&
        ErrorStageOf(entry->second.problem) != ErrorStage::file)
      return;
  }
  ModelEvent event = {.name = key.first, .version = absl::StrCat(key.second), .problem = {}, .model = {}};
  auto loaded = ServedModel::Load(event.name, event.version, found.files);
  event.problem = loaded.status();
  bool is_news = true;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[key];
    is_news = loaded.ok() || entry.stamps != found.stamps;
    entry.stamps = found.stamps;
    entry.problem = loaded.status();
    if (loaded.ok()) entry.model = event.model = *loaded;
    event.loaded = loaded.ok();
  }
  if (is_news) observe_(event);
}

void Repository::Drop(const Key& key) {
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(key);
  }
  observe_({.name = key.first, .version = absl::StrCat(key.second), .problem = {}, .model = {}});
}

absl::StatusOr<std::shared_ptr<const ServedModel>> Repository::Find(const std::string& name,
                                                                    const std::string& version) const {
  const std::lock_guard lock(mutex_);
  const std::optional<int64_t> number = NumberOf(version);
  bool exists = false;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->first.first != name || (!version.empty() && entry->first.second != number)) continue;
    if (entry->second.model != nullptr) return entry->second.model;
    exists = true;
  }
  if (exists || unloaded_.contains(name))
    return MakeError(label::model_unready, absl::StrCat("model '", PrintableStart(name), "' is not loaded"));
  return UnknownModel(name, version);
}

std::shared_ptr<const ServedModel> Repository::WithModule(const Digest& module_id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    if (entry.model != nullptr && entry.model->claimed().id == module_id) return entry.model;
  }
  return nullptr;
}

std::vector<ModelState> Repository::States() const {
  const std::lock_guard lock(mutex_);
  std::vector<ModelState> states;
  for (const auto& [key, entry] : entries_) {
    states.push_back({key.first, absl::StrCat(key.second), entry.model != nullptr,
                      Printable(std::string(entry.problem.message()))});
  }
  for (const std::string& name : unloaded_) states.push_back({name, "", false, "unloaded"});
  return states;
}

std::vector<std::string> Repository::VersionsOf(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> versions;
  for (const auto& [key, entry] : entries_) {
    if (key.first == name && entry.model != nullptr) versions.push_back(absl::StrCat(key.second));
  }
  return versions;
}

bool Repository::ready() const {
  const std::lock_guard lock(mutex_);
  return scanned_ &&
         std::ranges::all_of(entries_, [](const auto& entry) { return entry.second.model != nullptr; });
}

absl::Status Repository::Unload(const std::string& name) {
  std::vector<Key> of_name;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (key.first == name) of_name.push_back(key);
    }
    if (of_name.empty()) return unloaded_.contains(name) ? absl::OkStatus() : UnknownModel(name, "");
    unloaded_.insert(name);
  }
  return Scan();
}

absl::Status Repository::Load(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    unloaded_.erase(name);
    for (auto& [key, entry] : entries_) {
      if (key.first == name && !entry.problem.ok()) entry.stamps = {};  // tried again
    }
  }
  RETURN_IF_ERROR(Scan());
  const std::lock_guard lock(mutex_);
  bool exists = false;
  for (const auto& [key, entry] : entries_) {
    if (key.first != name) continue;
    exists = true;
    RETURN_IF_ERROR(entry.problem);
  }
  return exists ? absl::OkStatus() : UnknownModel(name, "");
}

}  // namespace tally::server
