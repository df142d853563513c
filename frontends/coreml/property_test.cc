// Laws of the importer on damaged files: it never crashes, and what it accepts is a graph that passes Verify.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontends/coreml/import_coreml.h"
#include "frontends/coreml/testing/sample_models.h"
#include "frontends/graph/testing/import_laws.h"

namespace tally::coreml {
namespace {

void CheckImport(const std::vector<uint8_t>& bytes) {
  auto network = ImportCoreml(bytes, {});
  RC_CLASSIFY(network.ok(), "accepted");
  const absl::StatusOr<quant::Graph> graph =
      network.ok() ? absl::StatusOr<quant::Graph>(std::move(network->graph)) : network.status();
  const absl::Status law = frontend::CheckImportLaws(graph, CheckCoreml(bytes, {}));
  if (!law.ok()) RC_FAIL(std::string(law.message()));
}

TEST(ImportProperties, TheUndamagedModelsAreAccepted) {
  for (const auto& [name, bytes] : SampleModels()) {
    EXPECT_TRUE(ImportCoreml(bytes, {}).ok()) << name << ": " << ImportCoreml(bytes, {}).status();
    EXPECT_LT(bytes.size(), 8192u) << name;
  }
}

RC_GTEST_PROP(ImportProperties, ChangedBytesAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = (*rc::gen::elementOf(SampleModels())).bytes;
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::arbitrary<uint8_t>();
  }
  CheckImport(bytes);
}

// Lengths that fit, so that what is after a part moves up.
RC_GTEST_PROP(ImportProperties, PartsThatAreMissingAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = (*rc::gen::elementOf(SampleModels())).bytes;
  const size_t begin = *rc::gen::inRange<size_t>(0, bytes.size());
  const size_t size = *rc::gen::inRange<size_t>(1, 9);
  const auto first = bytes.begin() + static_cast<int64_t>(begin);
  bytes.erase(first, first + static_cast<int64_t>(std::min(size, bytes.size() - begin)));
  CheckImport(bytes);
}

}  // namespace
}  // namespace tally::coreml
