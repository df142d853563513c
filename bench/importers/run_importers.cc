// Files of real sizes through the importers: the time from the file to the float graph, and the most memory
// that a process needs for it, the file's pages among it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "bench/harness/machine.h"
#include "bench/harness/stopwatch.h"
#include "frontends/formats.h"

namespace tally::bench {
namespace {

constexpr int kSide = 1024;  // rows and columns of each weight

// Products with square weights, one after the other.
std::string Xml(int layers, const std::string& type, size_t bytes_each) {
  const std::string side = std::to_string(kSide);
  const auto dims = [&](int rows) {
    return "<dim>" + std::to_string(rows) + "</dim><dim>" + side + "</dim>";
  };
  std::string text = "<layer id=\"0\" name=\"x\" type=\"Parameter\"><data element_type=\"f32\" shape=\"1," +
                     side + "\"/><output><port id=\"2\">" + dims(1) + "</port></output></layer>";
  std::string edges;
  int from = 0;
  for (int i = 0; i < layers; ++i) {
    const int weight = 2 * i + 1, product = weight + 1;
    const auto edge = [&](int source, int port) {
      edges += "<edge from-layer=\"" + std::to_string(source) + "\" from-port=\"2\" to-layer=\"" +
               std::to_string(product) + "\" to-port=\"" + std::to_string(port) + "\"/>";
    };
    text += "<layer id=\"" + std::to_string(weight) + "\" name=\"w" + std::to_string(i) +
            "\" type=\"Const\"><data element_type=\"" + type + "\" shape=\"" + side + "," + side +
            "\" offset=\"" + std::to_string(static_cast<size_t>(i) * bytes_each) + "\" size=\"" +
            std::to_string(bytes_each) + "\"/><output><port id=\"2\">" + dims(kSide) +
            "</port></output></layer>";
    text += "<layer id=\"" + std::to_string(product) + "\" name=\"y" + std::to_string(i) +
            "\" type=\"MatMul\"><data transpose_b=\"true\"/><input><port id=\"0\"/><port id=\"1\"/></input>"
            "<output><port id=\"2\">" +
            dims(1) + "</port></output></layer>";
    edge(from, 0);
    edge(weight, 1);
    from = product;
  }
  const std::string last = std::to_string(2 * layers + 1);
  text += "<layer id=\"" + last + "\" name=\"r\" type=\"Result\"><input><port id=\"0\"/></input></layer>";
  edges += "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"2\" to-layer=\"" + last +
           "\" to-port=\"0\"/>";
  return "<net name=\"net\" version=\"11\"><layers>" + text + "</layers><edges>" + edges + "</edges></net>";
}

// One field of a protobuf message.
std::string Field(int number, const std::string& bytes) {
  const auto varint = [](uint64_t value) {
    std::string text;
    for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
    return text + static_cast<char>(value);
  };
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

// The same products as a Core ML network; `field` of WeightParams has the weights.
std::string Mlmodel(int layers, int field, const std::vector<uint8_t>& weights) {
  const size_t each = weights.size() / static_cast<size_t>(layers);
  const std::string side = "\x80\x08";  // 1024
  const auto feature = [&](const std::string& name) {
    return Field(1, name) + Field(3, Field(5, Field(1, side)));
  };
  std::string network;
  for (int i = 0; i < layers; ++i) {
    const std::string part(reinterpret_cast<const char*>(weights.data()) + static_cast<size_t>(i) * each,
                           each);
    const auto name = [&](int at) { return at == 0 ? "x" : at == layers ? "y" : "v" + std::to_string(at); };
    network += Field(1, Field(1, "l") + Field(2, name(i)) + Field(3, name(i + 1)) +
                            Field(140, "\x08" + side + "\x10" + side + Field(20, Field(field, part))));
  }
  return "\x08\x01" + Field(2, Field(1, feature("x")) + Field(10, feature("y"))) + Field(500, network);
}

// Numbers of both signs between 1/32 and 1/16, all normal; `width` is that of a float, or of half of one.
std::vector<uint8_t> Weights(int layers, size_t width) {
  std::vector<uint8_t> bytes(static_cast<size_t>(layers) * kSide * kSide * width);
  const uint32_t exponent = width == 2 ? 0x2800 : 0x3d000000, fraction = width == 2 ? 0x3ff : 0x7fffff;
  uint32_t drawn = 1;
  for (size_t i = 0; i < bytes.size(); i += width) {
    drawn = drawn * 1664525 + 1013904223;
    const uint32_t sign = (drawn >> 31) << (8 * width - 1);
    const uint32_t bits = sign | exponent | (drawn >> 8 & fraction);
    std::memcpy(bytes.data() + i, &bits, width);
  }
  return bytes;
}

struct Cost {
  double milliseconds = 0;
  double megabytes = 0;
};

// In a process of its own, whose memory is that of the import.
Cost CostOfImport(const std::string& path) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const Stopwatch watch;
    const auto file = ReadFile(path);
    const auto format = frontend::FormatOf(*file);
    const auto graph = (*format)->import(*file, {.path = path});
    const double time = watch.Milliseconds();
    if (!graph.ok()) std::fprintf(stderr, "%s\n", graph.status().ToString().c_str());
    _exit(graph.ok() && write(pipe_ends[1], &time, sizeof time) == sizeof time ? 0 : 1);
  }
  Cost cost;
  int status = 0;
  rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child || status != 0) std::exit(1);
  if (read(pipe_ends[0], &cost.milliseconds, sizeof cost.milliseconds) != sizeof cost.milliseconds)
    std::exit(1);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

int Run(int argc, char** argv) {
  CLI::App app("Files of real sizes through the importers");
  int megabytes = 100, repeats = 5;
  app.add_option("--megabytes", megabytes, "of weights in each file")->check(CLI::Range(4, 2048));
  app.add_option("--repeats", repeats, "of each import")->check(CLI::Range(1, 100));
  CLI11_PARSE(app, argc, argv);
  std::printf("%s\n", DescribeMachine(DetectCpuFlags()).c_str());
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tally-importers-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::printf("%-16s %10s %12s %12s %14s\n", "", "MiB", "least ms", "median ms", "memory / file");
  const auto measure = [&](const std::string& what, const std::filesystem::path& path, double size) {
    std::vector<double> times;
    double most = 0;
    for (int i = 0; i < repeats; ++i) {
      const Cost cost = CostOfImport(path.string());
      times.push_back(cost.milliseconds);
      most = std::max(most, cost.megabytes);
    }
    std::ranges::sort(times);
    std::printf("%-16s %10.0f %12.0f %12.0f %14.2f\n", what.c_str(), size, times.front(),
                times[times.size() / 2], most / size);
    std::fflush(stdout);
  };
  for (const auto& [type, width, field] : {std::tuple("f32", 4, 1), std::tuple("f16", 2, 2)}) {
    const int layers = std::max(megabytes / width, 1);
    const std::filesystem::path xml = folder / (std::string(type) + ".xml"),
                                bin = folder / (std::string(type) + ".bin"),
                                mlmodel = folder / (std::string(type) + ".mlmodel");
    double size = 0;
    {
      const std::vector<uint8_t> weights = Weights(layers, static_cast<size_t>(width));
      size = static_cast<double>(weights.size()) / (1 << 20);
      const std::string text =
          Xml(layers, type, static_cast<size_t>(kSide) * kSide * static_cast<size_t>(width));
      if (!WriteFileAtomically(xml.string(), AsBytes(text)).ok() ||
          !WriteFileAtomically(bin.string(), weights).ok() ||
          !WriteFileAtomically(mlmodel.string(), AsBytes(Mlmodel(layers, field, weights))).ok())
        return 1;
    }
    measure(std::string("OpenVINO ") + type, xml, size);
    measure(std::string("Core ML ") + type, mlmodel, size);
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) { return tally::bench::Run(argc, argv); }
