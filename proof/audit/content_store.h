// Where an auditor finds what receipts name by digest: modules, and the inputs of runs.
//
// A store may be slow, damaged or hostile: nothing that it returns is believed before its digest is compared.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "vm/valid_module.h"

namespace tally {

// Used by many threads at once.
class ContentStore {
 public:
  virtual ~ContentStore() = default;

  // The module with this id. Errors: store_missing; store_failed, which another try may end; those of Decode
  // and Validate. The id is not compared yet.
  virtual absl::StatusOr<std::shared_ptr<const ValidModule>> Module(const Digest& id) const = 0;

  // The inputs with this io-map, in the order of the entry's parameters. Errors: as above; store_content,
  // where an object is not what its name says. The digests of the tensors are not compared yet.
  virtual absl::StatusOr<std::vector<Tensor>> Inputs(const Digest& io_map,
                                                     const ValidModule& module) const = 0;

  // The products that an executor claims for a run (proof/freivalds/product_verifier.h), by the id of its
  // claim. Nothing says that they are right. Errors: as above.
  virtual absl::StatusOr<std::vector<uint8_t>> Products(const Digest& claim) const = 0;
};

}  // namespace tally
