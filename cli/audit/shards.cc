#include "cli/audit/shards.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/audit/claim_lines.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClaims = ".claims", kVerdicts = ".verdicts";

// The files of a folder with this ending, in the order of their names. A folder that cannot be read has none.
std::vector<std::string> FilesWith(const std::string& folder, std::string_view ending) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(PathOf(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ending) files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  return files;
}

absl::Status ForEachLine(const std::string& path, const std::function<absl::Status(std::string_view)>& use) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path, kMaxFileBytes));
  std::string_view text = AsText(bytes);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const absl::Status used = use(text.substr(0, end)); !used.ok())
      return WithMessage(used, absl::StrCat(Printable(path), ": ", used.message()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> WriteShards(WorkList& list, const std::string& folder, int64_t most) {
  for (const std::string_view ending : {kClaims, kVerdicts}) {
    if (const auto files = FilesWith(folder, ending); !files.empty()) {
      return MakeError(label::audit_shards, absl::StrCat(Printable(folder), " has ", files.size(), " files *",
                                                         ToAbsl(ending), ": give a folder of its own"));
    }
  }
  std::error_code error;
  fs::create_directories(PathOf(folder), error);
  std::string text;
  int64_t shards = 0, claims = 0;
  std::optional<Digest> module;
  const auto write = [&]() -> absl::Status {
    if (claims == 0) return absl::OkStatus();
    RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder, "/", shards++, ToAbsl(kClaims)), AsBytes(text)));
    text.clear();
    claims = 0;
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(list.ForEachOpen([&](const OpenClaim& open) -> absl::Status {
    if (claims == most || module != open.claim.module) RETURN_IF_ERROR(write());
    module = open.claim.module;
    absl::StrAppend(&text, ClaimLine(open), "\n");
    ++claims;
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(write());
  return shards;
}

absl::StatusOr<std::vector<OpenClaim>> ReadShard(const std::string& path) {
  std::vector<OpenClaim> claims;
  RETURN_IF_ERROR(ForEachLine(path, [&](std::string_view line) -> absl::Status {
    ASSIGN_OR_RETURN(OpenClaim open, ParseClaimLine(line));
    claims.push_back(std::move(open));
    return absl::OkStatus();
  }));
  if (claims.empty()) return MakeError(label::audit_lines, Printable(path) + " has no claims");
  return claims;
}

absl::StatusOr<size_t> WriteVerdicts(WorkList& list, const std::string& path) {
  std::string text;
  RETURN_IF_ERROR(list.ForEachFound([&](const FoundClaim& found) {
    absl::StrAppend(&text, FoundLine(found), "\n");
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(WriteFileAtomically(path, AsBytes(text)));
  return text.size();
}

absl::StatusOr<Merged> MergeVerdicts(WorkList& list, const std::string& folder) {
  Merged merged;
  for (const std::string& path : FilesWith(folder, kVerdicts)) {
    std::vector<FoundClaim> found;
    RETURN_IF_ERROR(ForEachLine(path, [&](std::string_view line) -> absl::Status {
      ASSIGN_OR_RETURN(FoundClaim one, ParseFoundLine(line));
      one.may_pass = false;  // its job has tried often enough
      found.push_back(std::move(one));
      return absl::OkStatus();
    }));
    RETURN_IF_ERROR(list.Record(found));
    ++merged.files;
    merged.verdicts += static_cast<int64_t>(found.size());
  }
  return merged;
}

}  // namespace tally::cli
