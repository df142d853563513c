// The models that a folder has (docs/guides/serve.md#models):
//
//   NAME.tally, NAME.json, NAME.tally.origin    version 1 of NAME, its configuration and its origin
//   NAME/VERSION/model.tally, NAME/config.json  any number of versions; an origin beside each
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/models/served_model.h"

namespace tally::server {

// Device, inode, bytes and nanoseconds of the last change: each state of a file has its own.
using FileStamp = std::array<uint64_t, 4>;

struct FoundModel {
  ModelFiles files;
  std::array<FileStamp, 3> stamps = {};  // those of the files
};

// By name and version. What has another name is left out. Error file_open: the folder cannot be read.
using FoundModels = std::map<std::pair<std::string, std::string>, FoundModel>;
absl::StatusOr<FoundModels> ScanFolder(const std::string& folder);

// Letters, digits, and - _ . but not at the start; 128 at most.
bool IsModelName(std::string_view name);

}  // namespace tally::server
