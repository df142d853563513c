// Laws of CVM models over random graphs with every operator and every attribute.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "frontends/cvm/import_cvm.h"
#include "frontends/cvm/operators.h"
#include "fuzz/generators/cvm_model.h"
#include "fuzz/oracles/cvm.h"
#include "fuzz/oracles/execution.h"
#include "tests/property/random_module.h"

namespace tally {
namespace {

std::string Text(const absl::Status& status) { return status.ToString(); }

RC_GTEST_PROP(CvmModel, EveryEngineComputesWhatImportMakes, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(1024);
  EntropySource e(bytes);
  const CvmModel files = GenerateCvmModel(e, {});
  auto model = cvm::ImportCvm(files.graph, files.params);
  RC_ASSERT(Text(model.status()) == "OK");
  RC_CLASSIFY(model->graph.heads.size() > 1, "several heads");
  RC_CLASSIFY(model->graph.postprocess == "argmax", "argmax");
  const auto module = std::make_shared<const ValidModule>(std::move(model->module));
  const std::vector<Tensor> inputs = GenerateInputs(e, module->entry());
  RC_ASSERT(Text(CheckExecution(module, ViewsOf(inputs))) == "OK");
}

TEST(CvmModelCoverage, HasEveryOperator) {
  std::set<Opcode> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<uint8_t> bytes = NoiseBytes(seed, 1024);
    EntropySource e(bytes);
    const CvmModel files = GenerateCvmModel(e, {});
    const auto model = cvm::ImportCvm(files.graph, files.params);
    ASSERT_TRUE(model.ok()) << model.status();
    for (const cvm::Node& node : model->graph.nodes) {
      if (node.op) seen.insert(*node.op);
    }
  }
  for (const Opcode op : cvm::AllOperators()) EXPECT_TRUE(seen.contains(op)) << InfoOf(op).name;
}

RC_GTEST_PROP(CvmModel, ExportAndImportGiveTheModuleBack, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(512);
  EntropySource e(bytes);
  const CvmModel files = GenerateCvmModel(e, kSmallModules);
  RC_ASSERT(Text(CheckCvmImport(files.graph, files.params)) == "OK");
}

RC_GTEST_PROP(CvmModel, SpellingDoesNotMatter, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(1024);
  EntropySource e(bytes);
  const CvmModel files = GenerateCvmModel(e, {});
  CvmModel respelled = files;
  RespellCvmModel(e, respelled);
  const auto model = cvm::ImportCvm(files.graph, files.params);
  const auto again = cvm::ImportCvm(respelled.graph, respelled.params);
  RC_ASSERT(Text(model.status()) == "OK");
  RC_ASSERT(Text(again.status()) == "OK");
  RC_ASSERT(again->module.module() == model->module.module());
}

RC_GTEST_PROP(CvmModel, DamageIsRefusedOrHarmless, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(512);
  EntropySource e(bytes);
  CvmModel files = GenerateCvmModel(e, kSmallModules);
  for (int64_t faults = e.Between(1, 3); faults > 0; --faults) DamageCvmModel(e, files);
  RC_CLASSIFY(cvm::ImportCvm(files.graph, files.params).ok(), "accepted");
  RC_ASSERT(Text(CheckCvmImport(files.graph, files.params)) == "OK");
}

// The published precision of a value holds what the module can compute there.
RC_GTEST_PROP(CvmModel, DeclaredPrecisionsAreAtLeastTheProvenOnes, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(512);
  EntropySource e(bytes);
  const CvmModel files = GenerateCvmModel(e, kSmallModules);
  const auto model = cvm::ImportCvm(files.graph, files.params);
  RC_ASSERT(Text(model.status()) == "OK");
  const Interval result = model->module.functions()[0].results[0].interval;
  RC_ASSERT(static_cast<int64_t>(result.Magnitude()) <= (int64_t{1} << (model->output_precision - 1)) - 1);
}

}  // namespace
}  // namespace tally
