// The counts of a node, as Prometheus reads them. Names are those of NVIDIA's Triton where it has the same.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tally::server {

// One version of a model. Durations are in microseconds, as Triton's.
struct ModelMetrics {
  prometheus::Counter &success, &failure, &inferences, &executions, &request_us, &queue_us, &compute_us, &gas,
      &receipts, &cache_hits, &cache_misses;
  prometheus::Gauge& pending;
  prometheus::Histogram& seconds;
};

// May be used by many threads at once.
class Metrics {
 public:
  Metrics();

  ModelMetrics& Of(const std::string& model, const std::string& version);

  void CountLoad(bool loaded);
  void CountDispute(const std::string& what);  // opened, asked
  void CountStoreFailure() { store_failures_.Increment(); }
  void CountRefusal(const std::string& label);  // a request that no model has seen
  void AddConnections(int change) { connections_.Increment(change); }

  // The text that Prometheus reads.
  std::string Text() const;

 private:
  using Labels = std::map<std::string, std::string>;
  prometheus::Counter& Counter(const char* name, const char* help, const Labels& labels);

  prometheus::Registry registry_;
  prometheus::Counter& store_failures_;
  prometheus::Gauge& connections_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ModelMetrics>> models_;
};

}  // namespace tally::server
