// Objects as files of a folder.
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/audit/object_store.h"
#include "proof/labels.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

// The folders and the file of an object are the store's own: a link could lead out of it.
absl::Status CheckNoLink(const std::string& folder, const std::string& object) {
  fs::path path = PathOf(folder);
  for (const fs::path& part : PathOf(object)) {
    path /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error)))
      return MakeError(label::store_content,
                       absl::StrCat(Printable(object), ": ", part.string(), " is a link"));
  }
  return absl::OkStatus();
}

}  // namespace

GetObject FolderObjects(std::string folder) {
  return [folder = std::move(folder)](ObjectKind kind,
                                      const Digest& digest) -> absl::StatusOr<std::vector<uint8_t>> {
    const std::string object = ObjectPath(kind, digest), path = folder + "/" + object;
    RETURN_IF_ERROR(CheckNoLink(folder, object));
    std::error_code error;
    if (const auto type = fs::symlink_status(PathOf(path), error).type(); type == fs::file_type::not_found)
      return MakeError(label::store_missing, absl::StrCat(object, " is missing"));
    absl::StatusOr<std::vector<uint8_t>> bytes =
        ReadFile(path, kind == ObjectKind::kIoMap ? kMaxIoMapBytes : kMaxFileBytes);
    if (bytes.ok()) return bytes;
    // A file that is too large, or no file, stays so; the system may read another one later.
    const bool stays =
        HasLabel(bytes.status(), label::file_size) || !fs::is_regular_file(PathOf(path), error);
    return MakeError(stays ? label::store_content : label::store_failed,
                     std::string(bytes.status().message()));
  };
}

}  // namespace tally
