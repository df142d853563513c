// Any bytes as a Core ML model: the laws of importers hold.
#include "frontends/coreml/import_coreml.h"

#include <utility>

#include "frontends/graph/testing/import_laws.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Graph = absl::StatusOr<tally::quant::Graph>;
  auto network = tally::coreml::ImportCoreml({data, size}, {});
  const Graph graph = network.ok() ? Graph(std::move(network->graph)) : Graph(network.status());
  tally::Check(tally::frontend::CheckImportLaws(graph, tally::coreml::CheckCoreml({data, size}, {})));
  return 0;
}
