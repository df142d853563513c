// A folder for files that are being written, beside the files that they will replace. It is on their file
// system, so that a finished file gets its name in one step.
//
//   ASSIGN_OR_RETURN(StagingFolder staging, StagingFolder::Create("out"));  // out/.tally-tmp-4f1d0a938be27c56
//   if (!staging.Write("0", bytes) || !staging.Move("0", "out/model.tally")) ... errno
//
// Its process holds a lock on it, or in it on Windows. A folder of that kind without a lock is one whose
// process was killed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/io/descriptor.h"

namespace tally::internal {

class StagingFolder {
 public:
  // Error file_write.
  static absl::StatusOr<StagingFolder> Create(const std::string& parent);

  // Removes it and what is left in it.
  ~StagingFolder();
  StagingFolder(StagingFolder&&) noexcept = default;
  StagingFolder& operator=(StagingFolder&&) = delete;

  const std::string& path() const { return path_; }

  // Creates the file and waits until the disk has it; where `owner_alone`, nobody else may read it. False:
  // errno says why.
  bool Write(const std::string& name, std::span<const uint8_t> bytes, bool owner_alone = false) const;

  // Gives it its place, replacing what was there. False: errno says why.
  bool Move(const std::string& name, const std::string& target) const;

  // The same where nothing is there; else errno is EEXIST. One of several calls for a place succeeds.
  bool MoveToFree(const std::string& name, const std::string& target) const;

 private:
  StagingFolder(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::string path_;
  Descriptor descriptor_;  // holds the lock
};

// Removes the staging folders in `parent` that this user's killed processes have left. What cannot be removed
// stays.
void RemoveStaleStaging(const std::string& parent);

}  // namespace tally::internal
