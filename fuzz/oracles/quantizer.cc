#include "fuzz/oracles/quantizer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "vm/validator.h"

namespace tally {
namespace {

// Nothing of a refusal with a label.
absl::Status IsLabelled(const absl::Status& refusal) {
  if (!ErrorLabel(refusal).empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("refused without a label: ", refusal.ToString()));
}

// Integers within the interval where there is one, floats of any magnitude that networks have.
quant::FloatTensor DrawnInput(EntropySource& e, const quant::Value& value) {
  quant::FloatTensor tensor{value.type.shape, {}};
  const int64_t unit = e.Pick<int64_t>({128, 1, 1 << 20});
  const bool is_float = value.type.element == quant::ElementType::kFloat32;
  const Interval interval = value.interval.value_or(Interval{0, 1});
  for (int64_t i = 0; i < quant::NumElements(tensor.shape); ++i) {
    tensor.data.push_back(
        is_float ? static_cast<float>(e.Between(-128, 127)) / static_cast<float>(unit)
                 : static_cast<float>(e.Between(interval.lo, std::min(interval.hi, interval.lo + 255))));
  }
  return tensor;
}

}  // namespace

bool IsSmall(const quant::Graph& graph) {
  constexpr size_t kMaxNodes = 256;
  constexpr int64_t kMaxElements = 1 << 12;
  return graph.nodes.size() <= kMaxNodes && std::ranges::all_of(graph.values, [](const quant::Value& value) {
           return quant::NumElements(value.type.shape) <= kMaxElements;
         });
}

quant::Graph CalibratedNetwork() {
  quant::GraphBuilder builder("calibrated");
  const quant::ValueId x = *builder.AddInput("x", {1, 2, 2, 2});
  const quant::ValueId w = *builder.AddConstant("w", quant::FloatTensor{{2, 2, 1, 1}, {1, -0.5f, 0.25f, 2}});
  const quant::ValueId conv = *builder.AddNode(quant::Conv{}, {x, w}, "conv", "conv");
  const quant::ValueId sum = *builder.AddNode(quant::Add{}, {conv, x}, "sum", "add");
  const quant::ValueId flat = *builder.AddNode(quant::Reshape{{1, 8}}, {sum}, "flat", "reshape");
  builder.AddOutput(*builder.AddNode(quant::Softmax{1}, {flat}, "y", "softmax"));
  return *std::move(builder).Build();
}

absl::StatusOr<std::optional<quant::Calibration>> CalibrateOnDraws(EntropySource& e,
                                                                   const quant::Graph& graph) {
  const auto samples = [&](int64_t) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    std::vector<quant::FloatTensor> inputs;
    for (const quant::ValueId input : graph.inputs) inputs.push_back(DrawnInput(e, graph.values[input]));
    return inputs;
  };
  auto calibration = quant::Calibrate(graph, 2, samples);
  if (calibration.ok()) return *std::move(calibration);
  RETURN_IF_ERROR(IsLabelled(calibration.status()));
  return std::nullopt;
}

absl::StatusOr<std::optional<ValidModule>> CheckQuantizer(const quant::Graph& graph,
                                                          const quant::Calibration& calibration) {
  ASSIGN_OR_RETURN(const quant::Calibration again, quant::CalibrationFromJson(quant::ToJson(calibration)));
  if (again != calibration) return absl::InternalError("the calibration changes when it is written and read");
  auto module = quant::LowerToModule(graph, calibration, {});
  if (!module.ok()) {
    RETURN_IF_ERROR(IsLabelled(module.status()));
    return std::nullopt;
  }
  auto valid = Validate(*std::move(module));
  if (!valid.ok()) {
    return absl::InternalError(
        absl::StrCat("the quantizer's module is refused: ", valid.status().ToString()));
  }
  return *std::move(valid);
}

}  // namespace tally
