// A content store over objects that are named by their digests: files of a folder, or whatever a caller has
// (docs/spec/audit.md#store).
//
//   const ObjectStore store(FolderObjects("store"));
//   const ObjectStore remote([&](ObjectKind kind, const Digest& digest) {
//     return client.Get(ObjectPath(kind, digest));
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "proof/audit/content_store.h"

namespace tally {

enum class ObjectKind {
  kModule,    // a module's file, by its id
  kIoMap,     // an io-map's CBOR, by its digest
  kTensor,    // an .npy file, by the digest of the tensor
  kProducts,  // products that are claimed for a run, by the id of its claim
};

// No io-map that a store serves has more bytes: the parameters of a module, and some more.
inline constexpr uint64_t kMaxIoMapBytes = 1 << 20;

// The bytes of an object. Errors: store_missing; store_failed, which another try may end.
using GetObject = std::function<absl::StatusOr<std::vector<uint8_t>>(ObjectKind, const Digest&)>;

// "modules/3f/3f0c...tally", "iomaps/..cbor", "tensors/..npy": the name of an object in a folder or a bucket.
std::string ObjectPath(ObjectKind kind, const Digest& digest);

class ObjectStore final : public ContentStore {
 public:
  explicit ObjectStore(GetObject get) : get_(std::move(get)) {}

  absl::StatusOr<std::shared_ptr<const ValidModule>> Module(const Digest& id) const override;
  absl::StatusOr<std::vector<Tensor>> Inputs(const Digest& io_map, const ValidModule& module) const override;
  absl::StatusOr<std::vector<uint8_t>> Products(const Digest& claim) const override {
    return get_(ObjectKind::kProducts, claim);
  }

 private:
  GetObject get_;
};

// The objects of a folder. A link below `folder` is refused as store_content, wherever it leads.
GetObject FolderObjects(std::string folder);

}  // namespace tally
