// Any bytes as the two files of an ncnn model: the laws of importers hold.
#include "frontends/ncnn/import_ncnn.h"

#include "frontends/graph/testing/import_laws.h"
#include "frontends/graph/testing/joined_files.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = tally::frontend::PartFiles({data, size});
  const tally::ncnn::NcnnFiles files = {.param = parts.text, .weights = parts.weights};
  tally::Check(tally::frontend::CheckImportLaws(ImportNcnn(files, {}), CheckNcnn(files, {})));
  return 0;
}
