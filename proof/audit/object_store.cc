#include "proof/audit/object_store.h"

#include <utility>

#include "base/error.h"
#include "base/io/npy.h"
#include "base/io/npy_tensor.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "serializer/decode.h"
#include "vm/validator.h"

namespace tally {
namespace {

// `status`, of bytes that a store has under the name of an object.
absl::Status NotTheObject(ObjectKind kind, const Digest& digest, const absl::Status& status) {
  return MakeError(label::store_content,
                   absl::StrCat(ObjectPath(kind, digest), ": ", std::string(status.message())));
}

}  // namespace

std::string ObjectPath(ObjectKind kind, const Digest& digest) {
  struct Names {
    const char* folder;
    const char* ending;
  };
  constexpr Names kNames[] = {
      {"modules", ".tally"}, {"iomaps", ".cbor"}, {"tensors", ".npy"}, {"products", ".bin"}};
  const Names& names = kNames[static_cast<size_t>(kind)];
  const std::string hex = ToHex(digest);
  return absl::StrCat(names.folder, "/", hex.substr(0, 2), "/", hex, names.ending);
}

absl::StatusOr<std::shared_ptr<const ValidModule>> ObjectStore::Module(const Digest& id) const {
  ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, get_(ObjectKind::kModule, id));
  absl::StatusOr<tally::Module> decoded = Decode(std::move(bytes));
  if (!decoded.ok()) return NotTheObject(ObjectKind::kModule, id, decoded.status());
  absl::StatusOr<ValidModule> valid = Validate(*std::move(decoded));
  if (!valid.ok()) return NotTheObject(ObjectKind::kModule, id, valid.status());
  return std::make_shared<const ValidModule>(*std::move(valid));
}

absl::StatusOr<std::vector<Tensor>> ObjectStore::Inputs(const Digest& io_map, const ValidModule&) const {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, get_(ObjectKind::kIoMap, io_map));
  const absl::StatusOr<std::vector<Digest>> digests = DecodeIoMap(bytes);
  if (!digests.ok()) return NotTheObject(ObjectKind::kIoMap, io_map, digests.status());
  // The map is compared before any tensor is asked for, so that a damaged one does not make the store work.
  if (const Digest found = IoMapDigest(*digests); found != io_map) {
    return NotTheObject(ObjectKind::kIoMap, io_map,
                        MakeError(label::store_content, "has digest " + ToHex(found)));
  }
  std::vector<Tensor> tensors;
  for (const Digest& digest : *digests) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> file, get_(ObjectKind::kTensor, digest));
    const absl::StatusOr<NpyArray> array = DecodeNpy(file);
    if (!array.ok()) return NotTheObject(ObjectKind::kTensor, digest, array.status());
    absl::StatusOr<Tensor> tensor = TensorFromNpy(*array);
    if (!tensor.ok()) return NotTheObject(ObjectKind::kTensor, digest, tensor.status());
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace tally
