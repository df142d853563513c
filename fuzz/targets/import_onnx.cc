// Any bytes as an ONNX model: the laws of importers hold.
#include "frontends/onnx/float/import_onnx.h"

#include "frontends/graph/testing/import_laws.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tally::onnx::CheckOnnx, tally::onnx::ImportOnnx;
  tally::Check(tally::frontend::CheckImportLaws(ImportOnnx({data, size}), CheckOnnx({data, size}), "onnx_"));
  return 0;
}
