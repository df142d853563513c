// An ONNX model, calibrated on samples that its own bytes draw: what the quantizer makes of it is valid, and
// every engine agrees.
#include <utility>

#include "frontends/onnx/float/import_onnx.h"
#include "fuzz/oracles/quantizer.h"
#include "fuzz/targets/check.h"
#include "fuzz/targets/small.h"
#include "quant/passes/passes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto graph = tally::onnx::ImportOnnx({data, size});
  if (!graph.ok() || !tally::IsSmall(*graph)) return 0;
  graph = tally::quant::RunPasses(*std::move(graph), {});
  if (!graph.ok() || !tally::IsSmall(*graph)) return 0;
  const std::vector<uint8_t> draws = tally::NoiseBytes(size == 0 ? 0 : data[size / 2] + 256 * size, 1 << 16);
  tally::EntropySource e(draws);
  const auto calibration = tally::CalibrateOnDraws(e, *graph);
  tally::Check(calibration.status());
  if (!calibration->has_value()) return 0;
  auto module = tally::CheckQuantizer(*graph, **calibration);
  tally::Check(module.status());
  if (!module->has_value() || !tally::IsSmall(**module)) return 0;
  tally::CheckEngines(e, **std::move(module), size);
  return 0;
}
