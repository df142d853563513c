// The paths of the REST interface, and what answers at each (docs/guides/serve.md#rest).
#pragma once

#include "server/access/access.h"
#include "server/dispute/dispute_routes.h"
#include "server/http/messages.h"
#include "server/models/repository.h"
#include "server/node/metrics.h"
#include "server/node/node.h"
#include "server/store/store.h"

namespace tally::server {

class Routes {
 public:
  // All outlive this; store and disputes are null where there are no receipts.
  Routes(Node& node, Repository& repository, Metrics& metrics, Access& access, Store* store,
         DisputeRoutes* disputes)
      : node_(node),
        repository_(repository),
        metrics_(metrics),
        access_(access),
        store_(store),
        disputes_(disputes) {}

  // Answers at once or later. An answer repeats the traceparent of its request (W3C Trace Context).
  void Handle(HttpRequest request, Respond respond);

 private:
  using Segments = std::vector<std::string_view>;  // those of the path, after /v2

  absl::StatusOr<HttpResponse> Answer(const HttpRequest& request, const Segments& path,
                                      std::string_view query);
  absl::StatusOr<HttpResponse> AnswerOfModel(const HttpRequest& request, const Segments& path);
  absl::StatusOr<HttpResponse> AnswerOfRepository(const HttpRequest& request, const Segments& path);
  absl::StatusOr<HttpResponse> ReceiptOf(std::string_view claim, std::string_view query);
  absl::StatusOr<HttpResponse> Keys();
  void Dispute(HttpRequest request, Respond respond);
  void Refuse(const absl::Status& why, const Respond& respond);
  void Infer(HttpRequest request, const Segments& path, Respond respond);

  Node& node_;
  Repository& repository_;
  Metrics& metrics_;
  Access& access_;
  Store* const store_;
  DisputeRoutes* const disputes_;
};

}  // namespace tally::server
