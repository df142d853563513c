// Makes signed runs durable, many at a time: those that arrive while a transaction is written share the next.
//
//   ReceiptWriter writer(store);
//   writer.Add(std::move(run), [](const absl::Status& durable) { ... });
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/store/store.h"

namespace tally::server {

class ReceiptWriter {
 public:
  // `store` outlives this.
  explicit ReceiptWriter(Store& store);
  ~ReceiptWriter();  // writes what waits

  // `done` is called in the thread of the writer, once: OK when the run is durable, or why it is not.
  void Add(SignedRun run, std::function<void(const absl::Status&)> done);

 private:
  void Write();

  Store& store_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<SignedRun> runs_;
  std::vector<std::function<void(const absl::Status&)>> done_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tally::server
