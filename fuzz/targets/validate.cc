// Random modules, mostly with a fault or two: one verdict, with a label or with a memory plan that holds.
#include "fuzz/generators/module_generator.h"
#include "fuzz/generators/mutate_module.h"
#include "fuzz/oracles/validation.h"
#include "fuzz/targets/check.h"
#include "vm/validator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::EntropySource e({data, size});
  const int64_t faults = e.Between(0, 3);
  tally::Module module = tally::GenerateModule(e, tally::kSmallModules);
  for (int64_t i = 0; i < faults && !module.functions.empty(); ++i) tally::MutateModule(e, module);
  tally::Check(tally::CheckValidationIsPure(module));
  const auto valid = tally::Validate(module);
  if (valid.ok()) tally::Check(tally::CheckPlacement(*valid));
  return 0;
}
