// The receipts that a user names, and the modules beside them.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/audit/content_store.h"

namespace tally::cli {

struct FoundReceipt {
  std::string path;
  bool has_inputs = true;  // false if its folder was read, and there are none beside it

  auto operator<=>(const FoundReceipt&) const = default;
};

struct FoundFiles {
  std::vector<FoundReceipt> receipts;  // in the order of their paths
  std::vector<std::string> modules;
};

// Each path is a receipt; or a folder of receipts (*.receipt) and modules (*.tally), with all folders in it
// but no links to folders; or a list, a file *.txt with the path of a receipt in each line. A file that is no
// receipt is an error if it is named itself, and one of many otherwise. Errors: those of ReadFile and
// ReceiptFromJson.
absl::StatusOr<FoundFiles> FindFiles(std::span<const std::string> paths);

// A store of files that have names of their own: modules anywhere in the folders, and for NAME.receipt the
// inputs NAME.npy, or NAME.INPUT.npy for each of several.
class LooseFiles final : public ContentStore {
 public:
  // Reads all modules once for their ids; those that are none are left out.
  explicit LooseFiles(std::span<const std::string> modules);

  // The inputs of `io_map` are beside that receipt, or nowhere if it is "", until as many calls of Forget.
  void Expect(const Digest& io_map, const std::string& receipt);
  void Forget(const Digest& io_map);

  absl::StatusOr<std::shared_ptr<const ValidModule>> Module(const Digest& id) const override;
  absl::StatusOr<std::vector<Tensor>> Inputs(const Digest& io_map, const ValidModule& module) const override;
  absl::StatusOr<std::vector<uint8_t>> Products(const Digest& claim) const override;

 private:
  std::map<Digest, std::string> modules_;
  mutable std::mutex mutex_;
  struct Expected {
    std::string receipt;
    int calls = 0;
  };
  std::map<Digest, Expected> expected_;  // by io-map
};

// The first store, and for what it has not the second.
class StoreChain final : public ContentStore {
 public:
  StoreChain(const ContentStore& first, const ContentStore& second) : first_(first), second_(second) {}

  absl::StatusOr<std::shared_ptr<const ValidModule>> Module(const Digest& id) const override;
  absl::StatusOr<std::vector<Tensor>> Inputs(const Digest& io_map, const ValidModule& module) const override;
  absl::StatusOr<std::vector<uint8_t>> Products(const Digest& claim) const override;

 private:
  const ContentStore& first_;
  const ContentStore& second_;
};

}  // namespace tally::cli
