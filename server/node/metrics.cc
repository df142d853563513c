#include "server/node/metrics.h"

#include <prometheus/text_serializer.h>

#include <sstream>

namespace tally::server {
namespace {

// From 50 us, which the smallest networks take, to 10 s.
const prometheus::Histogram::BucketBoundaries kSeconds = {
    5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 10};

}  // namespace

prometheus::Counter& Metrics::Counter(const char* name, const char* help, const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
}

Metrics::Metrics()
    : store_failures_(Counter("tally_store_failures_total", "Transactions of the store that failed.", {})),
      connections_(prometheus::BuildGauge()
                       .Name("tally_connections")
                       .Help("Connections of clients that are open.")
                       .Register(registry_)
                       .Add({})) {}

ModelMetrics& Metrics::Of(const std::string& model, const std::string& version) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ModelMetrics>& found = models_[{model, version}];
  if (found != nullptr) return *found;
  const Labels labels = {{"model", model}, {"version", version}};
  const auto counter = [&](const char* name, const char* help) -> prometheus::Counter& {
    return Counter(name, help, labels);
  };
  found.reset(new ModelMetrics{
      .success = counter("nv_inference_request_success", "Requests that were answered."),
      .failure = counter("nv_inference_request_failure", "Requests that were refused or failed."),
      .inferences = counter("nv_inference_count", "Inferences that were answered, those of the cache too."),
      .executions = counter("nv_inference_exec_count", "Runs of the module."),
      .request_us = counter("nv_inference_request_duration_us", "From a request to its answer."),
      .queue_us = counter("nv_inference_queue_duration_us", "Requests waiting for a worker."),
      .compute_us = counter("nv_inference_compute_infer_duration_us", "Runs of the module."),
      .gas = counter("tally_gas_total", "Gas of runs that were answered."),
      .receipts = counter("tally_receipts_total", "Receipts that were acknowledged."),
      .cache_hits = counter("nv_cache_num_hits_per_model", "Requests that the cache answered."),
      .cache_misses = counter("nv_cache_num_misses_per_model", "Requests that it did not answer."),
      .pending = prometheus::BuildGauge()
                     .Name("nv_inference_pending_request_count")
                     .Help("Requests that wait for a worker.")
                     .Register(registry_)
                     .Add(labels),
      .seconds = prometheus::BuildHistogram()
                     .Name("tally_request_seconds")
                     .Help("From a request to its answer.")
                     .Register(registry_)
                     .Add(labels, kSeconds)});
  return *found;
}

void Metrics::CountLoad(bool loaded) {
  Counter("tally_model_loads_total", "Files of models that were loaded, or refused.",
          {{"outcome", loaded ? "loaded" : "refused"}})
      .Increment();
}

void Metrics::CountDispute(const std::string& outcome) {
  Counter("tally_disputes_total", "Disputes, by what became of them.", {{"outcome", outcome}}).Increment();
}

void Metrics::CountRefusal(const std::string& label) {
  Counter("tally_refusals_total", "Requests that no model has seen, by the label of the refusal.",
          {{"label", label}})
      .Increment();
}

std::string Metrics::Text() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, registry_.Collect());
  return text.str();
}

}  // namespace tally::server
