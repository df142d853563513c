// Objects as files of a folder.
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/npy_tensor.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/audit/object_store.h"
#include "proof/labels.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/io_map.h"
#include "serializer/encode.h"

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

absl::Status KeepRun(const std::string& folder, const ValidModule& module, const Digest& module_id,
                     std::span<const TensorView> inputs) {
  std::map<std::string, std::vector<uint8_t>> added;  // two inputs may be one tensor
  const auto is_new = [&](const std::string& object) {
    std::error_code error;
    return !fs::exists(PathOf(folder + "/" + object), error);
  };
  if (const std::string object = ObjectPath(ObjectKind::kModule, module_id); is_new(object))
    added.emplace(object, Encode(module.module()));
  const std::vector<Digest> digests = DigestsOf(module.functions()[0].params, inputs);
  for (size_t i = 0; i < digests.size(); ++i) {
    const std::string object = ObjectPath(ObjectKind::kTensor, digests[i]);
    if (!is_new(object)) continue;
    ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, NpyOf(inputs[i]));
    added.emplace(object, std::move(bytes));
  }
  if (const std::string object = ObjectPath(ObjectKind::kIoMap, IoMapDigest(digests)); is_new(object))
    added.emplace(object, EncodeIoMap(digests));
  std::vector<FileToWrite> files;
  for (const auto& [object, bytes] : added) {
    const std::string path = folder + "/" + object;
    std::error_code error;
    fs::create_directories(PathOf(path).parent_path(), error);
    if (error) return MakeError(label::file_write, absl::StrCat("'", path, "': ", error.message()));
    files.push_back({path, bytes});
  }
  return WriteFilesAtomically(files);
}

}  // namespace tally
