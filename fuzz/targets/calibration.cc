// Any text as a calibration file: what is read survives being written, and lowers a network to a valid module
// or not at all.
#include <string_view>

#include "base/error.h"
#include "fuzz/oracles/quantizer.h"
#include "fuzz/targets/check.h"
#include "quant/calibrate/calibration_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tally::quant::Graph& network = *new tally::quant::Graph(tally::CalibratedNetwork());
  const auto calibration = tally::quant::CalibrationFromJson({reinterpret_cast<const char*>(data), size});
  if (calibration.ok()) {
    tally::Check(tally::CheckQuantizer(network, *calibration).status());
  } else if (tally::ErrorLabel(calibration.status()).empty()) {
    tally::Check(calibration.status());
  }
  return 0;
}
