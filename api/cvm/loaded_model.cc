#include "api/cvm/loaded_model.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "api/cvm/graph_figures.h"
#include "api/cvm/labels.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::cvm {
namespace {

Storage WireStorage(int precision) { return precision <= 8 ? Storage::kI8 : Storage::kI32; }

// Elements on the wire, each moved to the nearest end of the interval of `type` where it is outside.
template <typename Wire, typename Stored>
void Saturate(const uint8_t* wire, const TensorType& type, uint8_t* stored) {
  const auto lo = static_cast<Wire>(type.interval.lo), hi = static_cast<Wire>(type.interval.hi);
  const int64_t count = type.shape.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    Wire value;
    std::memcpy(&value, wire + i * static_cast<int64_t>(sizeof value), sizeof value);
    const auto element = static_cast<Stored>(std::clamp(value, lo, hi));
    std::memcpy(stored + i * static_cast<int64_t>(sizeof element), &element, sizeof element);
  }
}

Tensor ReadInput(const uint8_t* bytes, Storage wire, const TensorType& type) {
  Tensor tensor(type.shape, type.storage());
  uint8_t* stored = tensor.mutable_bytes().data();
  if (wire == Storage::kI8) {
    Saturate<int8_t, int8_t>(bytes, type, stored);
  } else if (type.storage() == Storage::kI16) {
    Saturate<int32_t, int16_t>(bytes, type, stored);
  } else {
    Saturate<int32_t, int32_t>(bytes, type, stored);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const LoadedModel>> LoadedModel::Load(std::string_view graph,
                                                                     std::span<const uint8_t> params,
                                                                     std::string_view engine) {
  ASSIGN_OR_RETURN(ImportedModel model, ImportCvm(graph, params));
  RETURN_IF_ERROR(StorageOfGraph(model.graph).status());
  const Storage input = WireStorage(model.input_precision), output = WireStorage(model.output_precision);
  const int64_t input_bytes = BytesOf(model.module.entry().params[0], input);
  if (input_bytes > std::numeric_limits<int>::max()) {
    return MakeError(label::cvm_data_length,
                     absl::StrCat("an input of ", input_bytes, " bytes, more than 2^31 - 1"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan,
                   MakePlan(engine, std::make_shared<const ValidModule>(std::move(model.module))));
  return std::unique_ptr<const LoadedModel>(
      new LoadedModel(std::move(model.graph), input, output, std::move(plan)));
}

absl::Status LoadedModel::Infer(std::span<const uint8_t> input, uint8_t* output) const {
  if (static_cast<int64_t>(input.size()) != input_bytes()) {
    return MakeError(label::cvm_data_length,
                     absl::StrCat("an input of ", input.size(), " bytes, not ", input_bytes()));
  }
  const Tensor data = ReadInput(input.data(), input_, plan_->module().entry().params[0]);
  const TensorView view = data.view();
  const TensorType& type = plan_->module().functions()[0].results[0];
  if (type.storage() == output_) {
    const std::span<uint8_t> memory[] = {{output, static_cast<size_t>(output_bytes())}};
    return plan_->ExecuteInto({&view, 1}, memory, {});
  }
  ASSIGN_OR_RETURN(const Outcome outcome, plan_->Execute({&view, 1}, {}));
  const Tensor result = Tensor::Copy(outcome.results[0].view(), output_);
  std::memcpy(output, result.bytes().data(), result.bytes().size());
  return absl::OkStatus();
}

}  // namespace tally::cvm
