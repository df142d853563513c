// Laws of the importer on damaged files: it never crashes, and what it accepts is a graph that passes Verify.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/graph/testing/import_laws.h"
#include "frontends/openvino/import_openvino.h"
#include "frontends/openvino/testing/sample_models.h"

namespace tally::openvino {
namespace {

void CheckImport(const std::string& xml, const std::vector<uint8_t>& weights) {
  const IrFiles files = {{reinterpret_cast<const uint8_t*>(xml.data()), xml.size()}, weights};
  const auto graph = ImportOpenVino(files, {});
  RC_CLASSIFY(graph.ok(), "accepted");
  const absl::Status law = frontend::CheckImportLaws(graph, CheckOpenVino(files, {}));
  if (!law.ok()) RC_FAIL(std::string(law.message()));
}

TEST(ImportProperties, TheUndamagedModelsAreAccepted) {
  for (const auto& [name, model] : SampleModels()) {
    EXPECT_TRUE(model.Import().ok()) << name << ": " << model.Import().status();
    EXPECT_LT(model.xml().size() + model.weights().size(), 8192) << name;
  }
}

RC_GTEST_PROP(ImportProperties, ChangedBytesAreAcceptedOrRefused, ()) {
  const IrWriter model = (*rc::gen::elementOf(SampleModels())).model;
  std::string xml = model.xml();
  std::vector<uint8_t> weights = model.weights();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    if (weights.empty() || *rc::gen::inRange(0, 4) > 0) {
      xml[*rc::gen::inRange<size_t>(0, xml.size())] = *rc::gen::arbitrary<char>();
    } else {
      weights[*rc::gen::inRange<size_t>(0, weights.size())] = *rc::gen::arbitrary<uint8_t>();
    }
  }
  CheckImport(xml, weights);
}

// Numbers and names within quotes and elements reach further than their bytes.
RC_GTEST_PROP(ImportProperties, ChangedWordsAreAcceptedOrRefused, ()) {
  const IrWriter model = (*rc::gen::elementOf(SampleModels())).model;
  std::string xml = model.xml();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    const size_t at = *rc::gen::inRange<size_t>(0, xml.size());
    const size_t begin = xml.find_first_of("\",>", at);
    if (begin == std::string::npos) continue;
    const size_t end = xml.find_first_of("\",<", begin + 1);
    if (end == std::string::npos) continue;
    const std::string word = *rc::gen::element<std::string>(
        "0", "-1", "1", "2", "7", "65536", "9223372036854775807", "1e38", "0.5", "", "true", "max",
        "explicit", "i64", "u1", "x", "LSTMSequence");
    xml.replace(begin + 1, end - begin - 1, word);
  }
  CheckImport(xml, model.weights());
}

}  // namespace
}  // namespace tally::openvino
