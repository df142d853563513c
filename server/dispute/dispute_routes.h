// The paths of disputes, over a dispute service:
//
//   POST /v2/disputes[?id=ID]          a receipt; its opening, and the id in Location
//   POST /v2/disputes/ID/STEP          a query; its answer
//   POST /v2/disputes/ID/certificate   a certificate; the verdict
//   GET  /v2/disputes/ID               the verdict, or {} while the dispute goes on
#pragma once

#include <memory>

#include "server/dispute/dispute_service.h"
#include "server/http/messages.h"

namespace tally::server {

class DisputeRoutes {
 public:
  // `service` outlives this; it is called in one thread, since a call may run a module.
  explicit DisputeRoutes(DisputeService& service);
  ~DisputeRoutes();  // ends when all calls have

  // Error request_path, at once: the path is not one of the above.
  absl::Status Handle(HttpRequest request, Respond respond);

 private:
  struct Thread;

  DisputeService& service_;
  const std::unique_ptr<Thread> thread_;
};

}  // namespace tally::server
