// Runs a fuzz target over the files of its corpus: a regression test that any compiler builds.
//
//   <target>_replay_test FOLDER
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
    std::cout << file.path().filename().string() << std::endl;  // the last line names the file that fails
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    ++files;
  }
  std::cout << files << " files of " << argv[1] << " pass\n";
  return files > 0 ? 0 : 1;
}
