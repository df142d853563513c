// ./dev demo: a network trained on real data becomes an integer module, gives the same bytes on two engines,
// a receipt for them, and a certificate against whoever claims others.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/hash/sha256.h"
#include "base/status_macros.h"
#include "cli/progress_bar.h"
#include "engines/engine.h"
#include "examples/digits/labels.h"
#include "examples/digits/pipeline.h"
#include "examples/digits/show_dispute.h"
#include "examples/digits/show_receipt.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"

namespace tally::digits {
namespace {

// The promise of the example; the demo fails when it is not kept.
constexpr double kLeastFloatAccuracy = 97.0;
constexpr double kMostPointsLost = 0.5;

struct EngineRun {
  std::vector<int> predictions;
  Digest digest;  // SHA-256 over the tensor digests of all outputs, in order
  double seconds = 0;
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

absl::StatusOr<EngineRun> RunAll(std::string_view engine, const Network& network, const Dataset& data) {
  ASSIGN_OR_RETURN(const auto plan, MakePlan(engine, network.module));
  cli::ProgressBar progress{std::string(engine)};
  EngineRun run;
  Sha256 hash;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < data.images.size(); ++i) {
    const TensorView inputs[] = {data.images[i].view()};
    ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs, {}));
    run.predictions.push_back(LargestScore(outcome.results[0].view()));
    hash.Update(ValueDigest(outcome.results[0].view()));
    progress.Show(static_cast<int64_t>(i) + 1, static_cast<int64_t>(data.images.size()));
  }
  run.seconds = SecondsSince(start);
  run.digest = hash.Finish();
  return run;
}

double Percent(const std::vector<int>& a, const std::vector<int>& b) {
  size_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return 100.0 * static_cast<double>(equal) / static_cast<double>(a.size());
}

void Draw(const TensorView& image, int predicted, int label) {
  constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  std::printf("\n  predicted %d, labelled %d\n", predicted, label);
  for (int y = 0; y < 8; ++y) {
    std::printf("    ");
    for (int x = 0; x < 8; ++x) std::printf("%s", kShades[(image.at(y * 8 + x) + 3) / 4]);
    std::printf("\n");
  }
}

absl::Status Demo(const std::string& folder) {
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const Dataset data, LoadHeldOut(folder));
  ASSIGN_OR_RETURN(const Network network, BuildNetwork(folder));
  const ValidModule& module = *network.module;
  std::printf("imported, calibrated, lowered, encoded, decoded and validated in %.2f s\n",
              SecondsSince(start));
  std::printf("  module id      %s\n", ToHex(ModuleId(module.module())).c_str());
  std::printf("  module size    %zu bytes, of which constants %lld\n", network.bytes.size(),
              static_cast<long long>(module.constant_bytes()));
  std::printf("  instructions   %zu\n", module.entry().body.size());
  std::printf("  gas            %lld for every image\n", static_cast<long long>(module.gas()));
  std::printf("  peak memory    %lld bytes (largest live set %lld)\n\n",
              static_cast<long long>(module.arena_bytes()),
              static_cast<long long>(module.largest_live_bytes()));

  std::vector<int> float_predictions;
  for (const Tensor& image : data.images) {
    ASSIGN_OR_RETURN(const int predicted, PredictFloat(network.graph, image.view()));
    float_predictions.push_back(predicted);
  }
  std::vector<EngineRun> runs;
  for (const EngineInfo& engine : AllEngines()) {
    if (!engine.available) continue;
    ASSIGN_OR_RETURN(EngineRun run, RunAll(engine.name, network, data));
    std::printf("  %-10s %s  %7.2f ms/image\n", std::string(engine.name).c_str(), ToHex(run.digest).c_str(),
                1000 * run.seconds / static_cast<double>(data.images.size()));
    runs.push_back(std::move(run));
  }
  bool tally = true;
  for (const EngineRun& run : runs) tally = tally && run.digest == runs[0].digest;
  std::printf("  %zu engines, %zu images: %s\n\n", runs.size(), data.images.size(),
              tally ? "the outputs tally" : "THE OUTPUTS DIFFER");

  const std::vector<int>& predictions = runs[0].predictions;
  const double float_accuracy = Percent(float_predictions, data.labels);
  const double accuracy = Percent(predictions, data.labels);
  std::printf("  float accuracy    %6.2f %%\n  integer accuracy  %6.2f %%\n  agreement         %6.2f %%\n",
              float_accuracy, accuracy, Percent(predictions, float_predictions));
  for (const size_t i : {size_t{0}, data.images.size() / 2})
    Draw(data.images[i].view(), predictions[i], data.labels[i]);

  if (!tally) return MakeError(label::demo_engines, "two engines gave different bytes");
  if (float_accuracy < kLeastFloatAccuracy || float_accuracy - accuracy > kMostPointsLost) {
    return MakeError(label::demo_accuracy, "the accuracy is below what the example promises");
  }
  RETURN_IF_ERROR(ShowReceipt(network.module, data.images[0].view()));
  return ShowDispute(network.module, data.images[0].view());
}

}  // namespace
}  // namespace tally::digits

int main(int argc, char** argv) {
  const std::string folder = argc == 3 && std::string(argv[1]) == "--data" ? argv[2] : "examples/digits";
  const absl::Status status = tally::digits::Demo(folder);
  if (status.ok()) return 0;
  std::cerr << "error[" << tally::ErrorLabel(status) << "]: " << status.message() << "\n";
  return 1;
}
