// Writes the networks in CVM's own format, NAME.json and NAME.params: write_cvm_models OUTDIR [SCALE].
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "bench/cvm/cvm_models.h"

namespace tally::bench {
namespace {

absl::Status Write(const std::string& path, std::span<const uint8_t> bytes) {
  RETURN_IF_ERROR(WriteFileAtomically(path, bytes));
  std::printf("%-44s %9.2f MiB\n", path.c_str(), static_cast<double>(bytes.size()) / (1 << 20));
  return absl::OkStatus();
}

absl::Status WriteAll(const std::string& folder, const ModelOptions& options) {
  for (const CvmNetwork& network : kCvmNetworks) {
    ASSIGN_OR_RETURN(const cvm::ModelFiles model, CnnToCvmFiles(network.build(options)));
    const std::string path = folder + "/" + std::string(network.name);
    RETURN_IF_ERROR(
        Write(path + ".json", {reinterpret_cast<const uint8_t*>(model.graph.data()), model.graph.size()}));
    RETURN_IF_ERROR(Write(path + ".params", model.params));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::ModelOptions options;
  if (argc == 3) options.scale = std::atoi(argv[2]);
  if (argc < 2 || argc > 3 || options.scale < 1) {
    std::fprintf(stderr, "usage: write_cvm_models OUTDIR [SCALE]; SCALE divides every size\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  if (const absl::Status status = tally::bench::WriteAll(argv[1], options); !status.ok()) {
    std::fprintf(stderr, "write_cvm_models: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
