// Any bytes as an ONNX model: the laws of the importer hold.
#include "frontends/onnx/testing/import_laws.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::Check(tally::onnx::CheckImportLaws({data, size}));
  return 0;
}
