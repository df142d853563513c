// The example's promises: accuracy on held-out data, equal bytes on every engine, the same module every time.
#include <gtest/gtest.h>

#include "engines/engine.h"
#include "examples/digits/pipeline.h"
#include "examples/digits/show_dispute.h"
#include "examples/digits/show_receipt.h"
#include "serializer/module_id.h"

namespace tally::digits {
namespace {

constexpr char kFolder[] = "examples/digits";

TEST(Digits, IntegerNetworkIsAsGoodAsTheFloatOne) {
  const Dataset data = *LoadHeldOut(kFolder);
  const auto network = BuildNetwork(kFolder);
  ASSERT_TRUE(network.ok()) << network.status();
  const auto plan = *MakePlan("reference", network->module);
  int float_right = 0, integer_right = 0;
  for (size_t i = 0; i < data.images.size(); ++i) {
    const TensorView inputs[] = {data.images[i].view()};
    const auto outcome = plan->Execute(inputs, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    integer_right += LargestScore(outcome->results[0].view()) == data.labels[i] ? 1 : 0;
    float_right += *PredictFloat(network->graph, data.images[i].view()) == data.labels[i] ? 1 : 0;
  }
  const int count = static_cast<int>(data.images.size());
  EXPECT_GE(100.0 * float_right / count, 97.0);
  EXPECT_LE(100.0 * (float_right - integer_right) / count, 0.5);
}

TEST(Digits, EveryEngineGivesTheSameBytes) {
  const Dataset data = *LoadHeldOut(kFolder);
  const Network network = *BuildNetwork(kFolder);
  const auto reference = *MakePlan("reference", network.module);
  for (const EngineInfo& engine : AllEngines()) {
    if (!engine.available) continue;
    const auto plan = *MakePlan(engine.name, network.module);
    for (size_t i = 0; i < data.images.size(); i += 40) {
      const TensorView inputs[] = {data.images[i].view()};
      EXPECT_TRUE(SameValues(plan->Execute(inputs, {})->results[0].view(),
                             reference->Execute(inputs, {})->results[0].view()))
          << engine.name << ", image " << i;
    }
  }
}

TEST(Digits, ProducingTwiceGivesTheSameModule) {
  const Network first = *BuildNetwork(kFolder), second = *BuildNetwork(kFolder);
  EXPECT_EQ(first.bytes, second.bytes);
  EXPECT_EQ(ModuleId(first.module->module()), ModuleId(second.module->module()));
}

TEST(Digits, AnHonestReceiptIsAcceptedAndALieIsCaught) {
  const Network network = *BuildNetwork(kFolder);
  EXPECT_EQ(ShowReceipt(network.module, LoadHeldOut(kFolder)->images[0].view()), absl::OkStatus());
}

TEST(Digits, AnAlteredElementIsConvicted) {
  const Network network = *BuildNetwork(kFolder);
  EXPECT_EQ(ShowDispute(network.module, LoadHeldOut(kFolder)->images[0].view()), absl::OkStatus());
}

}  // namespace
}  // namespace tally::digits
