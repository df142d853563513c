// Writes modules of one instruction each, so many for each operator that exports: for
// bench/quantizer/export_agreement.py.
//
//   write_draws FOLDER COUNT    FOLDER/rescale-0.tally, FOLDER/rescale-1.tally, ...
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/io/file.h"
#include "frontends/onnx/export/export_onnx.h"
#include "frontends/onnx/export/operators.h"
#include "serializer/encode.h"
#include "tests/onnx_export/draw_instruction.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_draws FOLDER COUNT\n";
    return 2;
  }
  const int count = std::atoi(argv[2]);
  constexpr uint64_t kMostDraws = 2000;
  for (const tally::onnx::ExportRow& row : tally::onnx::ExportRows()) {
    int written = 0;
    for (uint64_t number = 0; number < kMostDraws && written < count; ++number) {
      const std::vector<uint8_t> bytes = tally::BytesOfDraw(row.op, number);
      tally::EntropySource e(bytes);
      const auto module = tally::DrawInstruction(row.op, e);
      if (!module || !tally::onnx::ExportOnnx(*module).refused.empty()) continue;
      const std::string path = std::string(argv[1]) + "/" + std::string(tally::InfoOf(row.op).name) + "-" +
                               std::to_string(written++) + ".tally";
      if (const auto status = tally::WriteFileAtomically(path, tally::Encode(module->module()));
          !status.ok()) {
        std::cerr << status << "\n";
        return 1;
      }
    }
  }
}
