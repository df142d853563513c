// One side of disputes, for challengers: the asserter itself, or a referee between them.
//
//   ASSIGN_OR_RETURN(const auto opening, service.Begin(id, receipt));
//   ASSIGN_OR_RETURN(const auto answer, service.Ask(id, 1, query));
//   ASSIGN_OR_RETURN(const std::string verdict, service.Convict(id, certificate));
//
// Messages are the bytes of docs/spec/dispute.md. All calls may be repeated: after a failure, or by a program
// that has begun anew, they give the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally::server {

class DisputeService {
 public:
  virtual ~DisputeService() = default;

  // The opening of a dispute about the receipt with this text. The challenger draws the id. Errors:
  // dispute_turn (another dispute has this id); dispute_claim; receipt_unknown, where the receipt is not one
  // that this side answers for; those of the store, and of running the module again.
  virtual absl::StatusOr<std::vector<uint8_t>> Begin(const Digest& id, const std::string& receipt) = 0;

  // The answer to query number `step`, from 1 on. Errors: dispute_unknown, dispute_turn (the step is not the
  // next, or was another query), dispute_query, and those of Begin.
  virtual absl::StatusOr<std::vector<uint8_t>> Ask(const Digest& id, int step,
                                                   std::span<const uint8_t> query) = 0;

  // The verdict on a certificate that ends the dispute. Errors: dispute_unknown, dispute_turn.
  virtual absl::StatusOr<std::string> Convict(const Digest& id, std::span<const uint8_t> certificate) = 0;

  // The verdict that there is, or empty while the dispute goes on. Error dispute_unknown.
  virtual absl::StatusOr<std::string> Verdict(const Digest& id) = 0;
};

}  // namespace tally::server
