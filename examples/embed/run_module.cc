// A module in a C++ program: run_module MODULE.tally INPUT.npy prints what a run costs and gives. INPUT.npy
// has bytes in the shape of the module's only parameter; its result has 16 bits.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <tally.hpp>

namespace {

// The elements of a file of NumPy's format 1.0: a header whose length is at its bytes 8 and 9.
std::vector<int8_t> ReadNpy(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  if (file.size() < 10) return {};
  const size_t header = 10 + static_cast<uint8_t>(file[8]) + size_t{256} * static_cast<uint8_t>(file[9]);
  if (header > file.size()) return {};
  return {file.begin() + static_cast<std::ptrdiff_t>(header), file.end()};
}

void RunModule(const char* path, std::vector<int8_t> image) {
  const tally::Module module = tally::Module::FromFile(path);  // a module that is valid, or an exception
  const tally_value_info about = module.Result(0);
  std::vector<int16_t> scores(about.bytes / sizeof(int16_t));

  const tally::Plan plan(module);  // for any number of threads at once
  tally_run_options options = {};
  options.gas_limit = 20'000'000;
  plan.Run({tally::Dense(image)}, {tally::Dense(scores)}, options);

  const std::vector<int64_t> shape(about.shape, about.shape + about.rank);
  std::cout << module.Info().gas << " gas, digest "
            << tally::Hex(tally::DigestOf(tally::Dense(scores, shape))) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: run_module MODULE.tally INPUT.npy\n";
    return 2;
  }
  try {
    RunModule(argv[1], ReadNpy(argv[2]));
  } catch (const tally::Error& error) {
    std::cerr << "error[" << error.label() << "]: " << error.what() << "\n";
    return 1;
  }
}
