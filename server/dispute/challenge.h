// The challenger of a dispute, against a service, to its end.
//
//   ASSIGN_OR_RETURN(const Challenged challenged, Challenge(service, id, receipt, text, claimed, honest));
//   challenged.certificate;  // empty where the receipt says what the honest run gives
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/recorded_run.h"
#include "proof/dispute/play.h"
#include "proof/receipt/receipt.h"
#include "server/dispute/dispute_service.h"

namespace tally::server {

struct Challenged {
  PlayedDispute played;  // with its end, unless the parties agree
  std::string verdict;   // that of the service, where it is a referee
};

// `text` is that of the receipt; `honest` the run of the challenger. Each answer is judged here too, so that
// the service need not be trusted. Errors: those of the service, of Challenger and of DisputeReferee::Of.
absl::StatusOr<Challenged> Challenge(DisputeService& service, const Digest& id, const Receipt& receipt,
                                     const std::string& text, const ClaimedModule& claimed,
                                     const RecordedRun& honest);

}  // namespace tally::server
