// The models of a folder that is watched: what is new there is loaded, and what is gone is unloaded. A file
// that cannot be loaded never replaces a model that was.
//
//   Repository repository("models", [](const ModelEvent& event) { Log(event); });
//   repository.Scan();  // and again from time to time
//   ASSIGN_OR_RETURN(const auto model, repository.Find("digits", ""));
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/models/scan_folder.h"
#include "server/models/served_model.h"

namespace tally::server {

struct ModelEvent {
  std::string name, version;
  bool loaded = false;                       // or unloaded, where `problem` is OK
  absl::Status problem;                      // why it was not loaded
  std::shared_ptr<const ServedModel> model;  // the one that was loaded
};

struct ModelState {
  std::string name, version;
  bool ready = false;
  std::string reason;  // why it is not, or why the file that is there now was not loaded
};

// May be used by many threads at once.
class Repository {
 public:
  // `observe` is called in the thread that scans.
  Repository(std::string folder, std::function<void(const ModelEvent&)> observe)
      : folder_(std::move(folder)), observe_(std::move(observe)) {}

  // Loads what is new or has changed. Error: the folder cannot be read; all models stay.
  absl::Status Scan();

  // An empty version: the highest that is ready. Errors model_unknown, model_unready.
  absl::StatusOr<std::shared_ptr<const ServedModel>> Find(const std::string& name,
                                                          const std::string& version) const;
  // That with this module, whatever it is called; null where there is none.
  std::shared_ptr<const ServedModel> WithModule(const Digest& module_id) const;

  std::vector<ModelState> States() const;
  std::vector<std::string> VersionsOf(const std::string& name) const;  // ready, ascending
  bool ready() const;  // a scan has ended, and each model has loaded once

  // All versions of a name. They stay unloaded until Load. Error model_unknown.
  absl::Status Unload(const std::string& name);
  // Error model_unknown; the first problem of a version.
  absl::Status Load(const std::string& name);

 private:
  struct Entry {
    std::array<FileStamp, 3> stamps = {};  // those of the files that were tried last
    std::shared_ptr<const ServedModel> model;
    absl::Status problem;
  };
  // By name and then by the number of the version.
  using Key = std::pair<std::string, int64_t>;

  void Take(const Key& key, const FoundModel& found);
  void Drop(const Key& key);

  const std::string folder_;
  const std::function<void(const ModelEvent&)> observe_;
  std::mutex scanning_;
  mutable std::mutex mutex_;  // for what follows
  std::map<Key, Entry> entries_;
  std::set<std::string> unloaded_;
  bool scanned_ = false;
};

}  // namespace tally::server
