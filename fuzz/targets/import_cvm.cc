// The two files of a CVM model, one behind the other with a zero byte between: import stays within its labels, and what it
// accepts survives an export and runs alike on every engine.
#include "frontends/cvm/import_cvm.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fuzz/generators/module_generator.h"
#include "fuzz/oracles/cvm.h"
#include "fuzz/oracles/execution.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxGas = 1 << 15, kMaxBytes = 1 << 20;
  const uint8_t* end = std::find(data, data + size, 0);
  const std::string_view graph(reinterpret_cast<const char*>(data), static_cast<size_t>(end - data));
  const std::span<const uint8_t> params(std::min(end + 1, data + size), data + size);
  tally::Check(tally::CheckCvmImport(graph, params));
  auto model = tally::cvm::ImportCvm(graph, params);
  if (!model.ok() || model->module.gas() > kMaxGas || model->module.arena_bytes() > kMaxBytes) return 0;
  const auto module = std::make_shared<const tally::ValidModule>(std::move(model->module));
  tally::EntropySource e({data, size});
  const std::vector<tally::Tensor> inputs = tally::GenerateInputs(e, module->entry());
  tally::Check(tally::CheckExecution(module, tally::ViewsOf(inputs)));
  return 0;
}
