// Receipts for audits to be measured with: write_receipts MODULE COUNT FOLDER.
//
// FOLDER/receipts/NNN/NNNNNN.receipt are signed with FOLDER/node.key, and FOLDER/store has what they name.
// Inputs are drawn, and differ. Nothing is flushed to the disk, as these files are made anew.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/io/npy_tensor.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/models/random_source.h"
#include "engines/engine.h"
#include "proof/audit/object_store.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/io_map.h"
#include "proof/receipt/receipt.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, std::span<const uint8_t> bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

absl::Status WriteReceipts(const std::string& module_path, uint64_t count, const fs::path& folder) {
  ASSIGN_OR_RETURN(Module loaded, LoadModule(module_path));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(loaded)));
  const auto module = std::make_shared<const ValidModule>(std::move(valid));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module));
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Generate());
  const ClaimedModule claimed(*module);
  const fs::path store = folder / "store";
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(module_path));
  Write(store / ObjectPath(ObjectKind::kModule, claimed.id), file);
  Write(folder / "node.key.pub", AsBytes(key.public_key().ToPem()));
  for (uint64_t i = 0; i < count; ++i) {
    const std::vector<Tensor> inputs = RandomInputs(module->entry().params, i + 1);
    std::vector<TensorView> views;
    for (const Tensor& input : inputs) views.push_back(input.view());
    const absl::StatusOr<Outcome> outcome = plan->Execute(views, {});
    ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, views, outcome, {}));
    const std::vector<Digest> digests = DigestsOf(module->entry().params, views);
    for (size_t input = 0; input < views.size(); ++input) {
      ASSIGN_OR_RETURN(const std::vector<uint8_t> npy, NpyOf(views[input]));
      Write(store / ObjectPath(ObjectKind::kTensor, digests[input]), npy);
    }
    Write(store / ObjectPath(ObjectKind::kIoMap, claim.inputs), EncodeIoMap(digests));
    const std::string receipt = ToJson(SignReceipt(claim, {.issued_at = 1}, key));
    Write(folder / absl::StrCat("receipts/", i / 1000, "/", i, ".receipt"), AsBytes(receipt));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: write_receipts MODULE COUNT FOLDER\n");
    return 2;
  }
  const absl::Status written =
      tally::bench::WriteReceipts(argv[1], std::strtoull(argv[2], nullptr, 10), argv[3]);
  if (written.ok()) return 0;
  std::fprintf(stderr, "write_receipts: %s\n", std::string(written.message()).c_str());
  return 1;
}
