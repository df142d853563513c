// The two files of a CVM model, one after the other with a zero byte between: import stays within its
// labels, and what it accepts is a valid module that survives an export, and on which every engine agrees.
#include "frontends/cvm/import_cvm.h"

#include <algorithm>
#include <utility>

#include "fuzz/oracles/cvm.h"
#include "fuzz/targets/check.h"
#include "fuzz/targets/small.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t* end = std::find(data, data + size, 0);
  const std::string_view graph(reinterpret_cast<const char*>(data), static_cast<size_t>(end - data));
  const std::span<const uint8_t> params(end == data + size ? end : end + 1, data + size);
  tally::Check(tally::CheckCvmImport(graph, params));
  auto model = tally::cvm::ImportCvm(graph, params);
  if (!model.ok() || !tally::IsSmall(model->module)) return 0;
  tally::EntropySource e({data, size});
  tally::CheckEngines(e, std::move(model->module), size);  // files differ in size: each part has its turn
  return 0;
}
