// Works as files: write_works FOLDER NAME..: for each NAME.tally, NAME.int8.onnx and NAME.float.onnx.
#include <cstdio>
#include <span>
#include <string>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "bench/models/works.h"
#include "bench/peers/write_float_onnx.h"
#include "bench/peers/write_onnx.h"
#include "serializer/encode.h"

namespace tally::bench {
namespace {

absl::Status WriteText(const std::string& path, const std::string& text) {
  return WriteFileAtomically(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

absl::Status Write(const std::string& path, const std::string& name) {
  ASSIGN_OR_RETURN(const Work work, BuildWork(name, {}));
  ASSIGN_OR_RETURN(const OnnxWork quantized, WriteOnnx(work));
  ASSIGN_OR_RETURN(const OnnxWork real, WriteFloatOnnx(work));
  RETURN_IF_ERROR(WriteFileAtomically(path + ".tally", Encode(work.module)));
  RETURN_IF_ERROR(WriteText(path + ".int8.onnx", quantized.model));
  return WriteText(path + ".float.onnx", real.model);
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: write_works FOLDER NAME..\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const absl::Status written = tally::bench::Write(std::string(argv[1]) + "/" + argv[i], argv[i]);
    if (written.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", argv[i], written.ToString().c_str());
    return 1;
  }
  return 0;
}
