// From a float ONNX file to the module that `tally quantize` makes of it: what each stage takes, what the
// module loses, and how fast it is beside the module of bench/models, which is written by hand.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/harness/stopwatch.h"
#include "bench/harness/tally_contender.h"
#include "bench/quantizer/write_float_onnx.h"
#include "engines/engine.h"
#include "frontends/onnx/float/import_onnx.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/measure_layers.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/lower/lower.h"
#include "quant/passes/passes.h"
#include "serializer/encode.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

struct QuantizerOptions : RunOptions {
  int64_t images = 32;
  int threads = 1;
  bool methods = false, layers = false;
  std::string write;  // a folder for the modules
  double target = 0;  // dB that the search for more bits is to reach; 0 searches nothing
  std::vector<std::string> networks = {"resnet50", "mobilenet_v2", "bert_layer"};
};

// Codes of the input around zero, each sample other ones.
quant::SampleSource DrawnSamples(const quant::Shape& shape, uint64_t seed) {
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
  ~Stage() { std::printf("%-28s %10.1f ms\n", name_, milliseconds()); }

  double milliseconds() const { return watch_.Milliseconds(); }

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

// The accuracy of a network after quantization, on images that calibration has not seen.
struct Measured {
  double sqnr_db;
  quant::LayerAccuracies layers;
};

absl::StatusOr<Measured> Measure(const quant::Graph& graph, const quant::Calibration& calibration,
                                 const quant::LowerOptions& options, int64_t images) {
  const quant::SampleSource samples = DrawnSamples(graph.values[graph.inputs[0]].type.shape, 1000);
  ASSIGN_OR_RETURN(quant::LoweredGraph lowered, quant::LowerGraph(graph, calibration, options));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(lowered.module)));
  ASSIGN_OR_RETURN(const auto plan,
                   MakePlan("cpu", std::make_shared<const ValidModule>(std::move(valid)), {}));
  ASSIGN_OR_RETURN(const quant::Accuracy accuracy, quant::MeasureAccuracy(graph, *plan, images, samples));
  ASSIGN_OR_RETURN(quant::LayerAccuracies layers,
                   quant::MeasureLayers(graph, lowered.values, *plan, images, samples));
  return Measured{accuracy.worst_sqnr_db(), std::move(layers)};
}

// Each method, with and without the correction of biases.
absl::Status CompareMethods(const quant::Graph& graph, const quant::Calibration& calibration,
                            int64_t images) {
  quant::Calibration without_means = calibration;
  without_means.means.clear();
  for (const quant::ClipMethodName& name : quant::kClipMethods) {
    ASSIGN_OR_RETURN(const Measured corrected, Measure(graph, calibration, {.method = name.method}, images));
    ASSIGN_OR_RETURN(const Measured plain, Measure(graph, without_means, {.method = name.method}, images));
    std::printf("SQNR by %-20s %10.2f dB, biases not corrected %.2f dB\n", std::string(name.name).c_str(),
                corrected.sqnr_db, plain.sqnr_db);
  }
  return absl::OkStatus();
}

// By name of a value: how close the float network stays to itself when each element of the image moves by up
// to half a code, as rounding the image would do. What it loses from layer to layer is the network's own
// doing.
absl::StatusOr<std::map<std::string, quant::ValueError>> Perturb(const quant::Graph& graph, int64_t images) {
  const quant::SampleSource samples = DrawnSamples(graph.values[graph.inputs[0]].type.shape, 1000);
  quant::FloatExecutor executor(graph);
  RandomSource random(7);
  std::map<std::string, quant::ValueError> errors;
  for (int64_t i = 0; i < images; ++i) {
    ASSIGN_OR_RETURN(auto image, samples(i));
    std::map<quant::ValueId, std::vector<float>> values;
    RETURN_IF_ERROR(executor
                        .Run(image, {.observer = [&](quant::ValueId id,
                                                     const quant::FloatTensor& x) { values[id] = x.data; }})
                        .status());
    for (float& element : image[0].data) element += static_cast<float>(random.Uniform(-128, 128)) / 256;
    const auto compare = [&](quant::ValueId id, const quant::FloatTensor& x) {
      quant::ValueError& error = errors[graph.values[id].name];
      for (size_t k = 0; k < x.data.size(); ++k) error.Add(values[id][k], x.data[k]);
    };
    RETURN_IF_ERROR(executor.Run(image, {.observer = compare}).status());
  }
  return errors;
}

absl::Status PrintLayers(const quant::Graph& graph, const Measured& measured, int64_t images) {
  ASSIGN_OR_RETURN(const auto perturbed, Perturb(graph, images));
  std::printf("%-12s %-18s %8s %8s %34s\n", "layer", "operator", "SQNR", "loss",
              "float network, image moved");
  for (const quant::LayerAccuracy& layer : measured.layers.layers) {
    std::printf("%-12s %-18s %8.1f %8.1f %31.1f dB\n", layer.name.c_str(), std::string(layer.op).c_str(),
                layer.error.sqnr_db(), layer.loss_db.value_or(0), perturbed.at(layer.name).sqnr_db());
  }
  return absl::OkStatus();
}

// As `tally quantize` does it, beside what calibration has taken.
absl::Status SearchBits(const quant::Graph& graph, const quant::Calibration& calibration, double target,
                        int64_t images, int64_t held_back, double calibration_ms) {
  const quant::Shape& shape = graph.values[graph.inputs[0]].type.shape;
  const Stopwatch watch(Clock::kWall);
  ASSIGN_OR_RETURN(
      const quant::PrecisionChoice choice,
      quant::ChoosePrecision(graph, calibration, {}, {.sqnr_db = target}, {images, DrawnSamples(shape, 1)},
                             {held_back, DrawnSamples(shape, 1000)}));
  const double milliseconds = watch.Milliseconds();
  std::printf("%-28s %10.1f ms, %.2f of calibration\n", "search for more bits", milliseconds,
              milliseconds / calibration_ms);
  std::printf("%-28s %10.1f dB, 16 bits for %zu values, %zu products, %zu weights, %.2f %% more gas\n",
              "SQNR with them", choice.sqnr_after, choice.widths.values.size(), choice.widths.products.size(),
              choice.widths.weights.size(),
              100.0 * (static_cast<double>(choice.gas_after) / static_cast<double>(choice.gas_before) - 1));
  return absl::OkStatus();
}

absl::StatusOr<std::string> WriteFloat(const Work& work) {
  if (const auto* net = std::get_if<Cnn>(&work.topology)) return WriteFloatOnnx(*net);
  if (const auto* bert = std::get_if<BertLayer>(&work.topology)) return WriteFloatOnnx(*bert);
  return absl::InvalidArgumentError(work.name + " has no float network");
}

absl::Status RunNetwork(const std::string& name, const QuantizerOptions& options) {
  ASSIGN_OR_RETURN(Work by_hand, BuildWork(name, options.model));
  ASSIGN_OR_RETURN(const std::string file, WriteFloat(by_hand));
  std::printf("\n%s\n", name.c_str());
  quant::Graph graph;
  {
    const Stage stage("import");
    ASSIGN_OR_RETURN(graph, onnx::ImportOnnx({reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
    ASSIGN_OR_RETURN(graph, quant::RunPasses(std::move(graph), {}));
  }
  const quant::Shape& shape = graph.values[graph.inputs[0]].type.shape;
  ASSIGN_OR_RETURN(const auto image, DrawnSamples(shape, 0)(0));
  RETURN_IF_ERROR(RunFloat(graph, image[0], options.turns.rounds));
  quant::Calibration calibration;
  double calibration_ms = 0;
  {
    const Stage stage("calibration");
    ASSIGN_OR_RETURN(calibration, quant::Calibrate(graph, options.images, DrawnSamples(shape, 1), nullptr));
    calibration_ms = stage.milliseconds();
  }
  const int64_t held_back = std::max<int64_t>(options.images / 8, 1);
  if (options.methods) RETURN_IF_ERROR(CompareMethods(graph, calibration, held_back));
  ASSIGN_OR_RETURN(const Measured measured, Measure(graph, calibration, {}, held_back));
  if (options.layers) RETURN_IF_ERROR(PrintLayers(graph, measured, held_back));
  if (options.target > 0) {
    RETURN_IF_ERROR(
        SearchBits(graph, calibration, options.target, options.images, held_back, calibration_ms));
  }
  Work quantized{.name = name, .network = true};
  {
    const Stage stage("lowering");
    ASSIGN_OR_RETURN(quantized.module, quant::LowerToModule(graph, calibration, {}));
  }
  if (!options.write.empty()) {
    const std::string path = options.write + "/" + name + ".tally";
    RETURN_IF_ERROR(WriteFileAtomically(path, Encode(quantized.module)));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const auto ours, TallyContender::Create("cpu", options.threads, quantized));
  ASSIGN_OR_RETURN(const auto hand, TallyContender::Create("cpu", options.threads, by_hand));
  Contender* const contenders[] = {ours.get(), hand.get()};
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  std::printf("%-28s %10.1f dB on %d samples that it has not seen\n", "SQNR", measured.sqnr_db,
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
  app.add_flag("--methods", options.methods, "what each method of calibration leaves of the signal");
  app.add_flag("--layers", options.layers, "what is left of each layer");
  app.add_option("--target-sqnr", options.target, "dB: search for more bits, too");
  app.add_option("--write", options.write, "a folder: write the modules there and measure no further");
  app.add_option("--network", options.networks)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return tally::bench::RunAll(options);
}
