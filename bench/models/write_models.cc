// Writes every work as a module file: write_models OUTDIR [NAME...].
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "bench/models/works.h"
#include "serializer/encode.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

absl::Status Write(const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(Work work, BuildWork(name, {}));
  ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(work.module)));
  const std::vector<uint8_t> bytes = Encode(valid.module());
  const std::string path = folder + "/" + name + ".tally";
  RETURN_IF_ERROR(WriteFileAtomically(path, bytes));
  std::printf("%-44s %9.2f MiB %8.3f GOP %5zu instructions %8.2f MiB of arena\n", path.c_str(),
              static_cast<double>(bytes.size()) / (1 << 20),
              2e-9 * static_cast<double>(work.multiply_accumulates), valid.entry().body.size(),
              static_cast<double>(valid.arena_bytes()) / (1 << 20));
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: write_models OUTDIR [NAME...]\n");
    return 2;
  }
  std::vector<std::string> names(argv + 2, argv + argc);
  if (names.empty()) {
    for (const auto& info : tally::bench::AllWorks()) names.emplace_back(info.name);
  }
  std::filesystem::create_directories(argv[1]);
  for (const std::string& name : names) {
    if (const absl::Status status = tally::bench::Write(argv[1], name); !status.ok()) {
      std::fprintf(stderr, "write_models: %s: %s\n", name.c_str(), std::string(status.message()).c_str());
      return 1;
    }
  }
  return 0;
}
