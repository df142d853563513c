// Random modules and inputs: both forms give the module back, and every engine computes what validation proved.
#include <memory>
#include <utility>

#include "fuzz/generators/module_generator.h"
#include "fuzz/generators/spoil.h"
#include "fuzz/oracles/codec.h"
#include "fuzz/oracles/execution.h"
#include "fuzz/oracles/text.h"
#include "fuzz/targets/check.h"
#include "vm/validator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxGas = tally::kSmallModules.limits.max_gas,
                    kMaxBytes = 1 << 20;  // what a fault left valid may be large
  tally::EntropySource e({data, size});
  const bool spoil = e.OneIn(4);
  tally::Module module = tally::GenerateModule(e, tally::kSmallModules);
  if (spoil) tally::SpoilModule(e, module);
  auto valid = tally::Validate(std::move(module));
  if (!valid.ok() || valid->gas() > kMaxGas || valid->arena_bytes() > kMaxBytes) return 0;
  tally::Check(tally::CheckEncoding(valid->module()));
  tally::Check(tally::CheckPrinting(*valid));
  const std::vector<tally::Tensor> inputs = tally::GenerateInputs(e, valid->entry());
  const auto shared = std::make_shared<const tally::ValidModule>(*std::move(valid));
  tally::Check(tally::CheckExecution(shared, tally::ViewsOf(inputs)));
  return 0;
}
