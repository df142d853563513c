#include "bench/cuda/repeated_graph.h"

#include <algorithm>

#include "base/int_math.h"
#include "base/status_macros.h"

namespace tally::bench {

Repetitions Repetitions::Cold(int64_t bytes, int64_t rotated_bytes, int count) {
  constexpr int64_t kMostCopies = 256;
  const int64_t copies = std::min(kMostCopies, CeilDiv(rotated_bytes, std::max<int64_t>(1, bytes)));
  return {.count = std::max(count, static_cast<int>(copies)), .copies = static_cast<int>(copies)};
}

absl::StatusOr<std::unique_ptr<RepeatedGraph>> RepeatedGraph::Record(
    cuda::Stream& stream, int repetitions, const std::function<absl::Status(int)>& record) {
  std::unique_ptr<RepeatedGraph> repeated(new RepeatedGraph(stream, repetitions));
  RETURN_IF_ERROR(stream.BeginGraph());
  absl::Status recorded = repeated->timer_.Start(stream, /*in_graph=*/true);
  for (int i = 0; i < repetitions && recorded.ok(); ++i) recorded = record(i);
  if (recorded.ok()) recorded = repeated->timer_.Stop(stream, /*in_graph=*/true);
  auto graph = stream.EndGraph();  // in any case: a stream that records does nothing else
  RETURN_IF_ERROR(recorded);
  ASSIGN_OR_RETURN(repeated->graph_, std::move(graph));
  return repeated;
}

absl::StatusOr<double> RepeatedGraph::Run() {
  const Stopwatch watch;
  RETURN_IF_ERROR(stream_.Replay(*graph_));
  RETURN_IF_ERROR(stream_.Wait());
  if (stream_.handle() == nullptr) return watch.Milliseconds() / repetitions_;
  ASSIGN_OR_RETURN(const double ms, timer_.Milliseconds());
  return ms / repetitions_;
}

}  // namespace tally::bench
