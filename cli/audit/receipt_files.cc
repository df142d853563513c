#include "cli/audit/receipt_files.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/load.h"
#include "cli/receipt_file.h"
#include "cli/tensor_files.h"
#include "proof/labels.h"
#include "proof/receipt/receipt.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kReceiptEnding[] = ".receipt", kModuleEnding[] = ".tally", kArrayEnding[] = ".npy",
               kListEnding[] = ".txt";

absl::Status AddFolder(const std::string& folder, FoundFiles& found) {
  std::error_code error;
  std::unordered_set<std::string> stems;  // receipts that have inputs, without their endings
  fs::recursive_directory_iterator files(PathOf(folder), error);
  for (; !error && files != fs::recursive_directory_iterator(); files.increment(error)) {
    const std::string path = files->path().string(), ending = files->path().extension().string();
    if (ending == kReceiptEnding) found.receipts.push_back({path, false});
    if (ending == kModuleEnding) found.modules.push_back(path);
    if (ending != kArrayEnding) continue;
    // NAME.npy, or NAME.INPUT.npy where an input may have points in its name.
    const size_t name = path.size() - files->path().filename().string().size();
    for (size_t end = path.rfind('.'); end != std::string::npos && end > name; end = path.rfind('.', end - 1))
      stems.insert(path.substr(0, end));
  }
  for (FoundReceipt& receipt : found.receipts)
    receipt.has_inputs |= stems.contains(receipt.path.substr(0, receipt.path.rfind('.')));
  return error ? MakeError(label::file_read, absl::StrCat("'", Printable(folder), "': ", error.message()))
               : absl::OkStatus();
}

absl::Status AddList(const std::string& path, FoundFiles& found) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  std::string_view text = AsText(bytes);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) found.receipts.push_back({std::string(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return absl::OkStatus();
}

absl::Status Missing(std::string_view message) { return MakeError(label::store_missing, message); }

}  // namespace

absl::StatusOr<FoundFiles> FindFiles(std::span<const std::string> paths) {
  FoundFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(PathOf(path), error)) {
      RETURN_IF_ERROR(AddFolder(path, found));
    } else if (PathOf(path).extension() == kListEnding) {
      RETURN_IF_ERROR(AddList(path, found));
    } else {
      RETURN_IF_ERROR(ReadReceiptFile(path).status());
      found.receipts.push_back({path});
    }
  }
  if (found.receipts.empty())
    return MakeError(label::file_open, "no receipts (*.receipt) are there to audit");
  std::ranges::sort(found.receipts, std::greater());
  std::ranges::sort(found.modules);
  // Named twice, it has inputs if one of them says so.
  const auto twice = std::ranges::unique(found.receipts, {}, &FoundReceipt::path);
  found.receipts.erase(twice.begin(), twice.end());
  std::ranges::reverse(found.receipts);
  found.modules.erase(std::unique(found.modules.begin(), found.modules.end()), found.modules.end());
  return found;
}

LooseFiles::LooseFiles(std::span<const std::string> modules) {
  for (const std::string& path : modules) {
    const auto module = LoadValidModule(path);
    if (module.ok()) modules_.emplace(ModuleId((*module)->module()), path);
  }
}

void LooseFiles::Expect(const Digest& io_map, const std::string& receipt) {
  const std::lock_guard lock(mutex_);
  Expected& expected = expected_[io_map];
  expected.receipt = receipt;
  ++expected.calls;
}

void LooseFiles::Forget(const Digest& io_map) {
  const std::lock_guard lock(mutex_);
  const auto found = expected_.find(io_map);
  if (--found->second.calls == 0) expected_.erase(found);
}

absl::StatusOr<std::shared_ptr<const ValidModule>> LooseFiles::Module(const Digest& id) const {
  const auto found = modules_.find(id);
  if (found == modules_.end()) return Missing(absl::StrCat("no module in the folders has id ", ToHex(id)));
  return LoadValidModule(found->second);
}

absl::StatusOr<std::vector<Tensor>> LooseFiles::Inputs(const Digest& io_map,
                                                       const ValidModule& module) const {
  std::string stem;
  {
    const std::lock_guard lock(mutex_);
    const auto found = expected_.find(io_map);
    if (found == expected_.end() || found->second.receipt.empty())
      return Missing("no inputs are beside the receipts of the claim");
    stem = found->second.receipt.substr(0, found->second.receipt.rfind('.'));
  }
  const auto& params = module.module().metadata.params;
  std::vector<Tensor> inputs;
  for (const ValueInfo& param : params) {
    if (param.name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
      return Missing(absl::StrCat("no file has the name of input '", PrintableStart(param.name), "'"));
    const std::string path = params.size() == 1 ? stem + ".npy" : absl::StrCat(stem, ".", param.name, ".npy");
    std::error_code error;
    if (!fs::exists(PathOf(path), error)) return Missing(absl::StrCat("'", Printable(path), "' is missing"));
    ASSIGN_OR_RETURN(inputs.emplace_back(), ReadTensor(path));
  }
  return inputs;
}

absl::StatusOr<std::shared_ptr<const ValidModule>> StoreChain::Module(const Digest& id) const {
  auto found = first_.Module(id);
  return HasLabel(found.status(), label::store_missing) ? second_.Module(id) : std::move(found);
}

absl::StatusOr<std::vector<Tensor>> StoreChain::Inputs(const Digest& io_map,
                                                       const ValidModule& module) const {
  auto found = first_.Inputs(io_map, module);
  return HasLabel(found.status(), label::store_missing) ? second_.Inputs(io_map, module) : std::move(found);
}

absl::StatusOr<std::vector<uint8_t>> LooseFiles::Products(const Digest&) const {
  return MakeError(label::store_missing, "files with names of their own have no products");
}

absl::StatusOr<std::vector<uint8_t>> StoreChain::Products(const Digest& claim) const {
  return first_.Products(claim);
}

}  // namespace tally::cli
