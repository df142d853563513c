// Random modules and inputs: both forms give the module back, and engines compute what validation proved. The
// first bytes are the number of the part of the law that is tried.
#include <utility>

#include "fuzz/generators/module_generator.h"
#include "fuzz/generators/mutate_module.h"
#include "fuzz/oracles/codec.h"
#include "fuzz/oracles/text.h"
#include "fuzz/targets/check.h"
#include "fuzz/targets/small.h"
#include "vm/validator.h"

// Both forms have targets of their own, and take as long as the engines do.
constexpr uint64_t kModulesForEachPrinted = 8;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::EntropySource e({data, size});
  const auto part = static_cast<uint64_t>(e.Between(0, 0xffff));
  const bool mutate = e.OneIn(4);
  tally::Module module = tally::GenerateModule(e, tally::kSmallModules);
  if (mutate) tally::MutateModule(e, module);
  auto valid = tally::Validate(std::move(module));
  if (!valid.ok() || !tally::IsSmall(*valid)) return 0;
  if (part % kModulesForEachPrinted == 0) {
    tally::Check(tally::CheckEncoding(valid->module()));
    tally::Check(tally::CheckPrinting(*valid));
  }
  tally::CheckEngines(e, *std::move(valid), part);
  return 0;
}
