// The cuda engine over random modules: on emulated devices, and on a GPU where there is one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/test_devices.h"
#include "tests/property/random_module.h"
#include "vm/validator.h"

namespace tally {
namespace {

RC_GTEST_PROP(CudaLaws, TheEngineIsTheReference, ()) {
  const RandomModule random = DrawModule();
  auto valid = Validate(random.module);
  RC_ASSERT(valid.ok());
  const auto module = std::make_shared<const ValidModule>(*std::move(valid));
  const auto expected = (*MakePlan("reference", module))->Execute(random.views, {});
  RC_ASSERT(expected.ok());
  const auto device = *rc::gen::elementOf(cuda::TestDevices());
  const auto plan = MakeCudaPlan(module, device);
  RC_ASSERT(plan.ok());
  const auto outcome = (*plan)->Execute(random.views, {});
  if (!outcome.ok()) RC_FAIL(outcome.status().ToString());
  for (size_t r = 0; r < expected->results.size(); ++r) {
    RC_ASSERT(SameValues(outcome->results[r].view(), expected->results[r].view()));
  }
  RC_CLASSIFY(module->functions().size() > 1, "runs functions");
}

}  // namespace
}  // namespace tally
