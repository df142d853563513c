#include "examples/digits/pipeline.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/npy.h"
#include "base/status_macros.h"
#include "cli/tensor_files.h"
#include "examples/digits/labels.h"
#include "frontends/onnx/float/import_onnx.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/lower/lower.h"
#include "quant/passes/fold_batch_norm.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "vm/validator.h"

namespace tally::digits {
namespace {

// A pixel p stands for p / 16, so the module takes the data set's own integers.
const quant::LowerOptions kPixels = {{{"image", {.scale = 1.0 / 16, .zero_point = 0, .interval = {0, 16}}}}};

}  // namespace

absl::StatusOr<Dataset> LoadHeldOut(const std::string& folder) {
  ASSIGN_OR_RETURN(const Tensor images, cli::ReadTensor(folder + "/data/held_out_images.npy"));
  ASSIGN_OR_RETURN(const Tensor labels, cli::ReadTensor(folder + "/data/held_out_labels.npy"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({1, 1, 8, 8}));
  const int64_t pixels = shape.num_elements(), count = labels.shape().num_elements();
  if (images.shape().num_elements() != count * pixels) {
    return MakeError(label::digits_data, "images and labels disagree in number");
  }
  Dataset data;
  for (int64_t i = 0; i < count; ++i) {
    Tensor image(shape, Storage::kI8);
    for (int64_t p = 0; p < pixels; ++p) {
      StoreElement(Storage::kI8, image.mutable_bytes().data(), p, images.view().at(i * pixels + p));
    }
    data.images.push_back(std::move(image));
    data.labels.push_back(static_cast<int>(labels.view().at(i)));
  }
  return data;
}

absl::StatusOr<Network> BuildNetwork(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(folder + "/digits.onnx"));
  Network network;
  ASSIGN_OR_RETURN(const quant::Graph imported, onnx::ImportOnnx(file, {}));
  ASSIGN_OR_RETURN(network.graph, quant::FoldBatchNorm(imported));
  ASSIGN_OR_RETURN(const NpyArray samples, ReadNpyFile(folder + "/data/calibration.npy"));
  if (samples.type != NpyType::kFloat32 || samples.shape.size() != 4 || samples.shape[0] < 1) {
    return MakeError(label::digits_data, "calibration samples are not float32 of [samples, 1, 8, 8]");
  }
  const size_t bytes = samples.bytes.size() / static_cast<size_t>(samples.shape[0]);
  ASSIGN_OR_RETURN(
      const quant::Calibration calibration,
      quant::Calibrate(
          network.graph, samples.shape[0], [&](int64_t i) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
            quant::FloatTensor sample{{1, 1, 8, 8}, std::vector<float>(bytes / sizeof(float))};
            std::memcpy(sample.data.data(), &samples.bytes[static_cast<size_t>(i) * bytes], bytes);
            return std::vector{std::move(sample)};
          }));
  ASSIGN_OR_RETURN(const Module lowered, quant::LowerToModule(network.graph, calibration, kPixels));
  network.bytes = Encode(lowered);
  // The program that runs is the one that was written, not the one that was built.
  auto owner = std::make_shared<const std::vector<uint8_t>>(network.bytes);
  ASSIGN_OR_RETURN(Module module, Decode(*owner, owner));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  network.module = std::make_shared<const ValidModule>(std::move(valid));
  return network;
}

absl::StatusOr<int> PredictFloat(const quant::Graph& graph, const TensorView& image) {
  quant::FloatTensor input{{1, 1, 8, 8}, {}};
  for (int64_t p = 0; p < image.shape.num_elements(); ++p) {
    input.data.push_back(static_cast<float>(image.at(p)) / 16.0f);
  }
  const quant::FloatTensor inputs[] = {std::move(input)};
  ASSIGN_OR_RETURN(const std::vector<quant::Tensor> outputs, quant::RunGraph(graph, inputs));
  const auto& scores = std::get<quant::FloatTensor>(outputs[0]).data;
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

int LargestScore(const TensorView& scores) {
  int64_t best = 0;
  for (int64_t i = 1; i < scores.shape.num_elements(); ++i) {
    if (scores.at(i) > scores.at(best)) best = i;
  }
  return static_cast<int>(best);
}

}  // namespace tally::digits
