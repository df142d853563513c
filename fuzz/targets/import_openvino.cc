// Any bytes as the two files of an OpenVINO model: the laws of importers hold.
#include "frontends/openvino/import_openvino.h"

#include "frontends/graph/testing/import_laws.h"
#include "frontends/graph/testing/joined_files.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = tally::frontend::PartFiles({data, size});
  const tally::openvino::IrFiles files = {.xml = parts.text, .weights = parts.weights};
  tally::Check(tally::frontend::CheckImportLaws(ImportOpenVino(files, {}), CheckOpenVino(files, {})));
  return 0;
}
