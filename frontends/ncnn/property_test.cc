// Laws of the importer on damaged files: it never crashes, and what it accepts is a graph that passes Verify.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/graph/testing/import_laws.h"
#include "frontends/ncnn/import_ncnn.h"
#include "frontends/ncnn/testing/sample_models.h"

namespace tally::ncnn {
namespace {

void CheckImport(const std::string& param, const std::vector<uint8_t>& weights) {
  const NcnnFiles files = {{reinterpret_cast<const uint8_t*>(param.data()), param.size()}, weights};
  const auto graph = ImportNcnn(files, {});
  RC_CLASSIFY(graph.ok(), "accepted");
  const absl::Status law = frontend::CheckImportLaws(graph, CheckNcnn(files, {}));
  if (!law.ok()) RC_FAIL(std::string(law.message()));
}

TEST(ImportProperties, TheUndamagedModelsAreAccepted) {
  for (const auto& [name, model] : SampleModels()) {
    EXPECT_TRUE(model.Import().ok()) << name << ": " << model.Import().status();
    EXPECT_LT(model.param().size() + model.weights().size(), 4096) << name;
  }
}

RC_GTEST_PROP(ImportProperties, ChangedBytesAreAcceptedOrRefused, ()) {
  const NcnnWriter model = (*rc::gen::elementOf(SampleModels())).model;
  std::string param = model.param();
  std::vector<uint8_t> weights = model.weights();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    if (weights.empty() || *rc::gen::inRange(0, 4) > 0) {
      param[*rc::gen::inRange<size_t>(0, param.size())] = *rc::gen::arbitrary<char>();
    } else {
      weights[*rc::gen::inRange<size_t>(0, weights.size())] = *rc::gen::arbitrary<uint8_t>();
    }
  }
  CheckImport(param, weights);
}

// Numbers and names within the lines reach further than their bytes.
RC_GTEST_PROP(ImportProperties, ChangedWordsAreAcceptedOrRefused, ()) {
  const NcnnWriter model = (*rc::gen::elementOf(SampleModels())).model;
  std::string param = model.param();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    const size_t at = *rc::gen::inRange<size_t>(0, param.size());
    const size_t begin = param.find_first_of(" =,", at);
    if (begin == std::string::npos) continue;
    const size_t end = param.find_first_of(" =,\n", begin + 1);
    if (end == std::string::npos) continue;
    const std::string word =
        *rc::gen::element<std::string>("0", "-1", "1", "2", "7", "-233", "65536", "2147483647", "-2147483648",
                                       "1e38", "2143289344", "0.5", "x", "a", "LSTM");
    param.replace(begin + 1, end - begin - 1, word);
  }
  CheckImport(param, model.weights());
}

}  // namespace
}  // namespace tally::ncnn
