// Bearer tokens, and what each allows.
//
//   ASSIGN_OR_RETURN(const auto access, Access::Open("tokens", /*per_second=*/100));
//   RETURN_IF_ERROR(access->Check(authorization, client, Scope::kInfer));
//
// The file has a line for each token, and no token itself: the SHA-256 of the token in hexadecimal digits,
// its scopes (infer, audit, admin, with commas between) and a name. Lines that begin with # are for people.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "server/access/rate_limit.h"

namespace tally::server {

enum class Scope {
  kOpen,   // anybody
  kInfer,  // models and runs
  kAudit,  // receipts, disputes and metrics
  kAdmin,  // loading and unloading; it has the others, too
};

// May be used by many threads at once.
class Access {
 public:
  // An empty path: no token is needed. `per_second`: requests of each client; 0: any number. Errors:
  // access_file, those of ReadFile.
  static absl::StatusOr<std::unique_ptr<Access>> Open(const std::string& path, double per_second);

  // Reads the file again. An error changes nothing.
  absl::Status Reload();

  // `authorization` is "Bearer TOKEN", or empty. Whoever has a token is a client by its name, others by their
  // address. Errors: access_token, access_scope, access_rate.
  absl::Status Check(std::string_view authorization, const std::string& address, Scope scope);

  struct Grant {
    std::string name;
    bool infer = false, audit = false, admin = false;
  };
  using Grants = std::map<Digest, Grant>;  // by the hash of the token
  // Those of the file's text. Error access_file.
  static absl::StatusOr<Grants> GrantsOf(std::string_view text);

 private:
  Access(std::string path, double per_second) : path_(std::move(path)), rate_(per_second) {}
  const std::string path_;
  RateLimit rate_;
  std::mutex mutex_;
  Grants grants_;
};

}  // namespace tally::server
