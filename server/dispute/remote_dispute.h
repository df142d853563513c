// A dispute service in another program, over HTTP (docs/guides/serve.md#disputes).
//
//   RemoteDispute remote(target, token, std::chrono::seconds(60));
//   ASSIGN_OR_RETURN(const auto opening, remote.Begin(id, receipt));
#pragma once

#include <chrono>
#include <string>

#include "server/dispute/dispute_service.h"
#include "server/http/http_client.h"

namespace tally::server {

class RemoteDispute final : public DisputeService {
 public:
  // A call is made again until it is answered or `patience` has passed: then error dispute_time. `token` is
  // sent with each where it is not empty.
  RemoteDispute(HttpTarget target, std::string token, std::chrono::milliseconds patience)
      : target_(std::move(target)), token_(std::move(token)), patience_(patience) {}

  // Errors are those that the other program reports, where they are about disputes or receipts; or
  // dispute_answer, where it reports something else.
  absl::StatusOr<std::vector<uint8_t>> Begin(const Digest& id, const std::string& receipt) override;
  absl::StatusOr<std::vector<uint8_t>> Ask(const Digest& id, int step,
                                           std::span<const uint8_t> query) override;
  absl::StatusOr<std::string> Convict(const Digest& id, std::span<const uint8_t> certificate) override;
  absl::StatusOr<std::string> Verdict(const Digest& id) override;

 private:
  absl::StatusOr<std::string> Call(const std::string& method, const std::string& path,
                                   std::string body) const;

  const HttpTarget target_;
  const std::string token_;
  const std::chrono::milliseconds patience_;
};

}  // namespace tally::server
