// Runs of drawn modules on engine reference, as lines of JSON: the module and its inputs as bytes in
// hexadecimal, its id and the digests of the results.
//
//   write_runs FIRST COUNT
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/storage.h"
#include "engines/engine.h"
#include "fuzz/drawn_module.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

void Print(uint64_t number) {
  const std::vector<uint8_t> bytes = NoiseBytes(number, kNoiseOfModule);
  const DrawnModule drawn = DrawModule(bytes);
  nlohmann::json line = {{"number", number},
                         {"module", ToHex(Encode(drawn.module->module()))},
                         {"id", ToHex(ModuleId(drawn.module->module()))},
                         {"inputs", nlohmann::json::array()},
                         {"results", nlohmann::json::array()}};
  for (const Tensor& input : drawn.inputs) {
    line["inputs"].push_back({{"storage", StorageName(input.storage())}, {"data", ToHex(input.bytes())}});
  }
  const auto outcome = MakePlan("reference", drawn.module, {}).value()->Execute(drawn.views, {});
  if (outcome.ok()) {
    for (const Tensor& result : outcome->results)
      line["results"].push_back(ToHex(ValueDigest(result.view())));
  } else {
    line["label"] = ErrorLabel(outcome.status());
  }
  std::puts(line.dump().c_str());
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_runs FIRST COUNT\n");
    return 2;
  }
  const uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t number = first; number < first + count; ++number) tally::Print(number);
  return 0;
}
