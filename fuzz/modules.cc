// Draws modules and tries the law of execution on each: no fuzzer, no sanitizer, as many as there is time
// for.
//
//   modules COUNT [FIRST]     modules FIRST .. FIRST + COUNT - 1 (FIRST: 0)
//   modules text NUMBER       the text of one
//
// The number of a module is the seed of its bytes and the part of the law that is tried on it. Of each one
// that breaks the law, the text of a smaller one that does is written to the working directory,
// module_NUMBER.tallytxt. Ends with 1 when there was one. One that ends the process, or takes a minute, is
// named on standard error. ./dev fuzz modules runs many of this.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/drawn_module.h"
#include "fuzz/oracles/execution.h"
#include "vm/text/printer.h"

namespace tally {
namespace {

constexpr unsigned kMostSeconds = 60;  // for one module, which takes less than a hundredth of one

volatile std::sig_atomic_t current = 0;

// Names the module that ends the process.
void TellModule(int signal) {
  char text[64] = "\nmodule ";
  const auto end = std::to_chars(text + 8, text + 60, static_cast<uint64_t>(current)).ptr;
  *end = '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<size_t>(end + 1 - text));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

absl::Status TryLaw(const std::vector<uint8_t>& bytes, uint64_t number) {
  const DrawnModule drawn = DrawModule(bytes);
  return CheckExecution(drawn.module, drawn.views, number);
}

// Fewer bytes, and smaller ones, as long as the law is broken: bytes that are missing are the simplest.
std::vector<uint8_t> Shrink(std::vector<uint8_t> bytes, uint64_t number) {
  for (size_t part = bytes.size() / 2; part > 0; part /= 2) {
    for (size_t at = 0; at < bytes.size(); at += part) {
      const size_t count = std::min(part, bytes.size() - at);
      const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
      std::vector<uint8_t> without(bytes.begin(), begin), zeros = bytes;
      without.insert(without.end(), begin + static_cast<ptrdiff_t>(count), bytes.end());
      std::fill_n(zeros.begin() + static_cast<ptrdiff_t>(at), count, uint8_t{0});
      if (!TryLaw(without, number).ok()) {
        bytes = std::move(without);
        at -= std::min(at, part);
      } else if (zeros != bytes && !TryLaw(zeros, number).ok()) {
        bytes = std::move(zeros);
      }
    }
  }
  return bytes;
}

// The module that is drawn from `bytes`, with its inputs, and what is to be said of it.
void WriteText(const std::vector<uint8_t>& bytes, uint64_t number, const std::string& about) {
  const DrawnModule drawn = DrawModule(bytes);
  std::ofstream stream("module_" + std::to_string(number) + ".tallytxt");
  stream << "# module " << number << about << "\n";
  for (const TensorView& input : drawn.views) {
    stream << "# input";
    for (int64_t i = 0; i < input.shape.num_elements(); ++i) stream << ' ' << input.at(i);
    stream << "\n";
  }
  stream << Print(drawn.module->module());
}

void Report(const std::vector<uint8_t>& bytes, uint64_t number, const absl::Status& broken) {
  alarm(0);
  const std::vector<uint8_t> small = Shrink(bytes, number);
  const std::string law = std::string(broken.message());
  WriteText(small, number, ": " + law + "\n# smaller: " + std::string(TryLaw(small, number).message()));
  std::cout << "module " << number << ": " << law << std::endl;
}

int Run(uint64_t count, uint64_t first) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM})
    std::signal(signal, TellModule);
  setenv("TALLY_FILL_ARENA", "165", 0);  // engines/shared/fill_arena.h
  const auto start = std::chrono::steady_clock::now();
  uint64_t broken = 0;
  for (uint64_t number = first; number < first + count; ++number) {
    current = static_cast<std::sig_atomic_t>(number);
    alarm(kMostSeconds);
    const std::vector<uint8_t> bytes = NoiseBytes(number, kNoiseOfModule);
    const absl::Status law = TryLaw(bytes, number);
    if (law.ok()) continue;
    ++broken;
    Report(bytes, number, law);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << count << " modules in " << seconds.count() << " s, "
            << static_cast<double>(count) / seconds.count() << " a second; " << broken << " break the law\n";
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
  if (argc == 3 && std::string_view(argv[1]) == "text") {
    tally::WriteText(tally::NoiseBytes(number(2), tally::kNoiseOfModule), number(2), "");
    return 0;
  }
  if (argc < 2 || argc > 3 || number(1) == 0) {
    std::cerr << "usage: " << argv[0] << " COUNT [FIRST], or " << argv[0] << " text NUMBER\n";
    return 2;
  }
  return tally::Run(number(1), number(2));
}
