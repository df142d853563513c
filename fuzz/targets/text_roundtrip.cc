// Text from anywhere: assembling stays within its labels, and what assembles survives both forms.
#include "fuzz/oracles/text.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::Check(tally::CheckAssembling({reinterpret_cast<const char*>(data), size}));
  return 0;
}
