#include "quant/accuracy/served_inputs.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/grid/quantized_tensor.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// The module's word, with which the caller agrees; or what the caller says where the module says nothing.
absl::StatusOr<QuantizedType> GridOf(const ValueInfo& info, const InputFormat* format) {
  if (!info.quantization.has_value()) {
    if (format != nullptr) return format->type;
    return MakeError(label::accuracy_module,
                     absl::StrCat("the module says no grid for input '", info.name,
                                  "': it must be told as it was when the module was quantized"));
  }
  const QuantizedType grid = FromMetadata(*info.quantization);
  if (format == nullptr || (!format->as_integers && format->type.scale == grid.scale &&
                            format->type.zero_point == grid.zero_point)) {
    return grid;
  }
  return MakeError(label::accuracy_module,
                   absl::StrCat("the module was quantized with another grid for input '", info.name, "'"));
}

// The range of an integer input may be smaller in the module than in its network.
absl::Status CheckTaken(std::span<const float> x, const std::string& name, const Interval& taken) {
  const auto [lo, hi] = std::ranges::minmax(x);
  if (lo >= static_cast<float>(taken.lo) && hi <= static_cast<float>(taken.hi)) return absl::OkStatus();
  return MakeError(label::graph_run_inputs, absl::StrCat("input '", name, "' holds ", lo, " to ", hi,
                                                         ", and the module takes ", taken.ToString()));
}

}  // namespace

absl::Status CheckSameShape(std::string_view what, const std::string& name, std::span<const int64_t> expected,
                            const TensorType& type) {
  if (std::ranges::equal(expected, type.shape.dims())) return absl::OkStatus();
  return MakeError(label::accuracy_module,
                   absl::StrCat(ToAbsl(what), " '", name, "' is ", type.shape.ToString(),
                                " in the module and another in the network"));
}

absl::Status CheckFinite(std::span<const float> x, int64_t sample) {
  if (std::ranges::all_of(x, [](float v) { return std::isfinite(v); })) return absl::OkStatus();
  return MakeError(label::calibration_not_finite,
                   absl::StrCat("sample ", sample, " holds or leads to NaN or an infinity"));
}

absl::StatusOr<ServedInputs> ServedInputs::Create(const Graph& graph, const ValidModule& module,
                                                  const std::vector<InputFormat>& formats) {
  ServedInputs served;
  served.types_ = module.entry().params;
  const std::vector<ValueInfo>& infos = module.module().metadata.params;
  if (infos.size() != graph.inputs.size()) {
    return MakeError(label::accuracy_module, absl::StrCat("the network has ", graph.inputs.size(),
                                                          " inputs and the module ", infos.size()));
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const Value& input = graph.values[graph.inputs[i]];
    RETURN_IF_ERROR(CheckSameShape("input", input.name, input.type.shape, served.types_[i]));
    served.integers_.push_back(input.type.element == ElementType::kInt64 ? input.name : "");
    if (input.type.element == ElementType::kInt64) {  // they stand for themselves
      served.grids_.push_back({.scale = 1, .zero_point = 0, .interval = served.types_[i].interval});
      continue;
    }
    const auto format = std::ranges::find(formats, input.name, &InputFormat::name);
    ASSIGN_OR_RETURN(const QuantizedType grid,
                     GridOf(infos[i], format == formats.end() ? nullptr : &*format));
    served.grids_.push_back(grid);
  }
  return served;
}

absl::StatusOr<std::vector<tally::Tensor>> ServedInputs::Of(std::span<const FloatTensor> sample,
                                                            int64_t number) const {
  std::vector<tally::Tensor> inputs;
  for (size_t i = 0; i < sample.size(); ++i) {
    RETURN_IF_ERROR(CheckFinite(sample[i].data, number));
    if (!integers_[i].empty()) RETURN_IF_ERROR(CheckTaken(sample[i].data, integers_[i], types_[i].interval));
    inputs.push_back(QuantizeTensor(sample[i].data, grids_[i], types_[i]));
  }
  return inputs;
}

}  // namespace tally::quant
