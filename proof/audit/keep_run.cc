#include "proof/audit/keep_run.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/npy_tensor.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/audit/object_store.h"
#include "proof/freivalds/product_verifier.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/io_map.h"
#include "serializer/encode.h"

namespace tally {

namespace fs = std::filesystem;

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

absl::Status KeepProducts(const std::string& folder, const Digest& claim, const Plan& plan,
                          std::span<const TensorView> inputs) {
  const std::string path = folder + "/" + ObjectPath(ObjectKind::kProducts, claim);
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ProductsOfRun(plan, inputs));
  if (bytes.empty()) return absl::OkStatus();
  std::error_code error;
  fs::create_directories(PathOf(path).parent_path(), error);
  if (error) return MakeError(label::file_write, absl::StrCat("'", path, "': ", error.message()));
  return WriteFileAtomically(path, bytes);
}

}  // namespace tally
