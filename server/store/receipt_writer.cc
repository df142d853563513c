#include "server/store/receipt_writer.h"

#include <utility>

namespace tally::server {

ReceiptWriter::ReceiptWriter(Store& store) : store_(store), thread_([this] { Write(); }) {}

ReceiptWriter::~ReceiptWriter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void ReceiptWriter::Add(SignedRun run, std::function<void(const absl::Status&)> done) {
  {
    const std::lock_guard lock(mutex_);
    runs_.push_back(std::move(run));
    done_.push_back(std::move(done));
  }
  arrived_.notify_one();
}

void ReceiptWriter::Write() {
  for (;;) {
    std::vector<SignedRun> runs;
    std::vector<std::function<void(const absl::Status&)>> done;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return ends_ || !runs_.empty(); });
      if (runs_.empty()) return;
      runs.swap(runs_);
      done.swap(done_);
    }
    const absl::Status durable = store_.Add(runs);
    for (const auto& of_run : done) of_run(durable);
  }
}

}  // namespace tally::server
