// The runs of receipts that a store has: each is run again when somebody disputes it.
#pragma once

#include "server/dispute/asserter_host.h"
#include "server/models/repository.h"
#include "server/store/store.h"

namespace tally::server {

class StoredRuns final : public AssertedRuns {
 public:
  // Both outlive this.
  StoredRuns(Store& store, const Repository& repository) : store_(store), repository_(repository) {}

  absl::StatusOr<std::shared_ptr<const AssertedRun>> Of(const Receipt& receipt,
                                                        const std::string& text) override;

 private:
  Store& store_;
  const Repository& repository_;
};

}  // namespace tally::server
