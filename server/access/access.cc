#include "server/access/access.h"

#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

constexpr uint64_t kMostFileBytes = 1 << 20;

}  // namespace

absl::StatusOr<Access::Grants> Access::GrantsOf(std::string_view text) {
  std::istringstream lines{std::string(text)};
  Grants grants;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string hash, scopes, scope, more;
    Grant grant;
    words >> hash >> scopes >> grant.name;
    const std::optional<Digest> digest = ParseDigest(hash);
    bool known = digest.has_value() && !grant.name.empty() && !(words >> more);
    std::istringstream list(scopes);
    while (known && std::getline(list, scope, ',')) {
      grant.infer = grant.infer || scope == "infer" || scope == "admin";
      grant.audit = grant.audit || scope == "audit" || scope == "admin";
      grant.admin = grant.admin || scope == "admin";
      known = scope == "infer" || scope == "audit" || scope == "admin";
    }
    if (!known || scopes.empty()) {
      return MakeError(label::access_file,
                       absl::StrCat("line ", number,
                                    " of the file of tokens is not the SHA-256 of a token, "
                                    "scopes of infer, audit and admin, and a name"));
    }
    grants[*digest] = std::move(grant);
  }
  return grants;
}

absl::StatusOr<std::unique_ptr<Access>> Access::Open(const std::string& path, double per_second) {
  std::unique_ptr<Access> access(new Access(path, per_second));
  RETURN_IF_ERROR(access->Reload());
  return access;
}

absl::Status Access::Reload() {
  if (path_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path_, kMostFileBytes));
  ASSIGN_OR_RETURN(Grants grants, GrantsOf(AsText(bytes)));
  const std::lock_guard lock(mutex_);
  grants_ = std::move(grants);
  return absl::OkStatus();
}

absl::Status Access::Check(std::string_view authorization, const std::string& address, Scope scope) {
  constexpr std::string_view kBearer = "Bearer ";
  std::string client = "address " + address;
  if (!path_.empty() && scope != Scope::kOpen) {
    if (!authorization.starts_with(kBearer))
      return MakeError(label::access_token, "a bearer token is needed: Authorization: Bearer TOKEN");
    const Digest hash = Sha256Hash(AsBytes(authorization.substr(kBearer.size())));
    const std::lock_guard lock(mutex_);
    const auto found = grants_.find(hash);
    if (found == grants_.end()) return MakeError(label::access_token, "the bearer token is not known");
    const Grant& grant = found->second;
    const bool allowed = scope == Scope::kInfer   ? grant.infer
                         : scope == Scope::kAudit ? grant.audit
                                                  : grant.admin;
    if (!allowed) return MakeError(label::access_scope, "the bearer token does not allow this");
    client = "token " + grant.name;
  }
  if (rate_.Take(client, std::chrono::steady_clock::now())) return absl::OkStatus();
  return MakeError(label::access_rate, "the client makes more requests in a second than it may");
}

}  // namespace tally::server
