// From a float ONNX file to the module that `tally quantize` makes of it: what each stage takes, what the module loses, and how
// fast it is beside the module of bench/models, which is written by hand.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/harness/stopwatch.h"
#include "bench/harness/tally_contender.h"
#include "bench/quantizer/write_float_onnx.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/min_max.h"
#include "quant/graph/float_executor.h"
#include "quant/lower/lower.h"
#include "quant/passes/passes.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

struct QuantizerOptions : RunOptions {
  int64_t images = 32;
  int threads = 1;
  std::vector<std::string> networks = {"resnet50", "mobilenet_v2"};
};

// Codes of the image around zero, each image other ones.
quant::SampleSource DrawnImages(const quant::Shape& shape, uint64_t seed) {
  return [shape, seed](int64_t sample) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    RandomSource random(seed + static_cast<uint64_t>(sample));
    quant::FloatTensor image{shape, std::vector<float>(static_cast<size_t>(quant::NumElements(shape)))};
    for (float& element : image.data) element = static_cast<float>(random.Uniform(-128, 127));
    return std::vector{std::move(image)};
  };
}

class Stage {
 public:
  explicit Stage(const char* name) : name_(name) {}
  ~Stage() { std::printf("%-28s %10.1f ms\n", name_, watch_.Milliseconds()); }

 private:
  const char* name_;
  Stopwatch watch_{Clock::kWall};
};

absl::Status RunFloat(const quant::Graph& graph, const quant::FloatTensor& image, int rounds) {
  quant::FloatExecutor executor(graph);
  Samples samples;
  for (int i = 0; i < rounds; ++i) {
    const Stopwatch watch(Clock::kWall);
    RETURN_IF_ERROR(executor.Run({&image, 1}).status());
    samples.Add({watch.Milliseconds()});
  }
  std::printf("%-28s %10.1f ms, median %.1f\n", "float run", samples.min(), samples.median());
  return absl::OkStatus();
}

absl::Status RunNetwork(const std::string& name, const QuantizerOptions& options) {
  ASSIGN_OR_RETURN(Work by_hand, BuildWork(name, options.model));
  const auto* net = std::get_if<Cnn>(&by_hand.topology);
  if (net == nullptr) return absl::InvalidArgumentError(name + " is no convolutional network");
  std::printf("\n%s\n", name.c_str());
  const std::string file = WriteFloatOnnx(*net);
  quant::Graph graph;
  {
    const Stage stage("import");
    ASSIGN_OR_RETURN(graph, onnx::ImportOnnx({reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
    ASSIGN_OR_RETURN(graph, quant::RunPasses(std::move(graph), {}));
  }
  const quant::Shape& shape = graph.values[graph.inputs[0]].type.shape;
  ASSIGN_OR_RETURN(const auto image, DrawnImages(shape, 0)(0));
  RETURN_IF_ERROR(RunFloat(graph, image[0], options.turns.rounds));
  quant::Calibration calibration;
  {
    const Stage stage("calibration");
    ASSIGN_OR_RETURN(calibration,
                     quant::CalibrateMinMax(graph, options.images, DrawnImages(shape, 1), nullptr));
  }
  Work quantized{.name = name, .network = true};
  {
    const Stage stage("lowering");
    ASSIGN_OR_RETURN(quantized.module, quant::LowerToModule(graph, calibration, {}));
  }
  const Module copy = quantized.module;
  ASSIGN_OR_RETURN(const auto ours, TallyContender::Create("cpu", options.threads, quantized));
  ASSIGN_OR_RETURN(const auto hand, TallyContender::Create("cpu", options.threads, by_hand));
  const int64_t held_back = std::max<int64_t>(options.images / 8, 1);
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy,
                   quant::MeasureAccuracy(graph, ours->plan(), held_back, DrawnImages(shape, 1000), nullptr));
  Contender* const contenders[] = {ours.get(), hand.get()};
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  std::printf("%-28s %10.1f dB on %d images that it has not seen\n", "SQNR", accuracy.worst_sqnr_db(),
              static_cast<int>(held_back));
  std::printf("%-28s %10.3f ms, median %.3f  %s\n", "module of the quantizer", samples[0].min(),
              samples[0].median(), CountKernels(ours->kernels()).c_str());
  std::printf("%-28s %10.3f ms, median %.3f  %s\n", "module by hand", samples[1].min(), samples[1].median(),
              CountKernels(hand->kernels()).c_str());
  std::printf("%-28s %10.3f, of medians %.3f\n", "ratio", samples[0].min() / samples[1].min(),
              samples[0].median() / samples[1].median());
  return absl::OkStatus();
}

int RunAll(const QuantizerOptions& options) {
  std::printf("%sthreads:    %d of modules, all of float runs\n", DescribeMachine(DetectCpuFlags()).c_str(),
              options.threads);
  for (const std::string& name : options.networks) {
    if (const absl::Status status = RunNetwork(name, options); !status.ok()) {
      std::printf("%s: %s\n", name.c_str(), std::string(status.message()).c_str());
      return 1;
    }
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("\npeak memory of it all: %ld MiB\n", usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::QuantizerOptions options;
  CLI::App app("Quantizes float ONNX networks and measures what comes of them.");
  tally::bench::AddRunOptions(app, options);
  app.add_option("--images", options.images, "for calibration, drawn at random")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "of both modules")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--network", options.networks)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return tally::bench::RunAll(options);
}
