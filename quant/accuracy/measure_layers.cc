#include "quant/accuracy/measure_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/accuracy/headroom.h"
#include "quant/accuracy/served_inputs.h"
#include "quant/graph/float_executor.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

constexpr size_t kNoLayer = std::numeric_limits<size_t>::max();

using Values = std::vector<std::optional<LoweredValue>>;

// The layers that the module holds, without what was measured; and by value of the graph the place of its
// layer.
class Layers {
 public:
  Layers(const Graph& graph, const Values& values) : graph_(graph), places_(graph.values.size(), kNoLayer) {
    for (const ValueId input : graph.inputs) Add(input, "input", "", false, values);
    for (const Node& node : graph.nodes) {
      Add(node.result, OpName(node.op), node.source, TraitsOf(node.op).grid == Grid::kOfOperand, values);
    }
  }

  std::vector<LayerAccuracy>& all() { return layers_; }
  size_t PlaceOf(ValueId value) const { return places_[value]; }

 private:
  void Add(ValueId id, std::string_view op, const std::string& source, bool moves, const Values& values) {
    if (!values[id].has_value()) return;
    const Value& value = graph_.values[id];
    LayerAccuracy layer = {.value = id,
                           .name = value.name,
                           .op = std::string(op),
                           .source = source,
                           .shape = value.type.shape,
                           .moves = moves,
                           .type = values[id]->type};
    if (value.producer != kGraphInput) {
      ReadBy(value.producer, layer);
      std::ranges::sort(layer.reads);
      layer.reads.erase(std::unique(layer.reads.begin(), layer.reads.end()), layer.reads.end());
    }
    const double margin = (layer.clip_high() - layer.clip_low()) / 8;
    layer.histogram.low = layer.clip_low() - margin;
    layer.histogram.high = layer.clip_high() + margin;
    places_[id] = layers_.size();
    layers_.push_back(std::move(layer));
  }

  // An activation that the node before it publishes reads what that node reads, and is told by its name.
  void ReadBy(int32_t producer, LayerAccuracy& layer) const {
    const Node& node = graph_.nodes[producer];
    if (TraitsOf(node.op).rounds) {
      layer.op = OpName(node.op);
      layer.source = node.source;
    }
    for (const ValueId operand : node.operands) {
      if (places_[operand] != kNoLayer) {
        layer.reads.push_back(places_[operand]);
      } else if (graph_.values[operand].producer != kGraphInput && ConstantOf(graph_, operand) == nullptr) {
        layer.moves = false;
        ReadBy(graph_.values[operand].producer, layer);
      }
    }
  }

  const Graph& graph_;
  std::vector<LayerAccuracy> layers_;
  std::vector<size_t> places_;  // by value
};

void AddErrors(std::span<const float> expected, const TensorView& codes, LayerAccuracy& layer) {
  const QuantizedType& type = layer.type;
  const double low = layer.clip_low() - type.scale, high = layer.clip_high() + type.scale;
  for (size_t i = 0; i < expected.size(); ++i) {
    const int64_t code = codes.at(static_cast<int64_t>(i));
    const double real = expected[i];
    layer.error.Add(real, type.scale * static_cast<double>(code - type.zero_point));
    layer.saturated += real < low || real > high ? 1 : 0;
    layer.histogram.Add(real);
    const bool first = layer.elements++ == 0;
    layer.least_code = first ? code : std::min(layer.least_code, code);
    layer.largest_code = first ? code : std::max(layer.largest_code, code);
  }
}

void AddHeadroom(const ValidModule& module, const Values& values, std::vector<LayerAccuracy>& layers) {
  std::vector<tally::ValueId> held;
  for (const LayerAccuracy& layer : layers) held.push_back(values[layer.value]->id);
  const std::vector<int> bits = HeadroomBits(module, held);
  for (size_t i = 0; i < layers.size(); ++i) layers[i].headroom_bits = bits[i];
}

void AddLosses(std::vector<LayerAccuracy>& layers) {
  for (LayerAccuracy& layer : layers) {
    double least = std::numeric_limits<double>::infinity();
    for (const size_t read : layer.reads) least = std::min(least, layers[read].error.sqnr_db());
    const double own = layer.error.sqnr_db();
    if (std::isfinite(least) && std::isfinite(own)) layer.loss_db = least - own;
  }
}

}  // namespace

void Histogram::Add(double x) {
  const double place = (x - low) / (high - low) * static_cast<double>(kBins);
  const double bin = std::clamp(std::floor(place), 0.0, static_cast<double>(kBins - 1));
  ++counts[static_cast<size_t>(bin)];
}

double LayerAccuracy::saturated_share() const {
  return elements == 0 ? 0 : static_cast<double>(saturated) / static_cast<double>(elements);
}

double LayerAccuracy::used_share() const {
  const int64_t codes = type.interval.hi - type.interval.lo + 1;
  return elements == 0 ? 0 : static_cast<double>(largest_code - least_code + 1) / static_cast<double>(codes);
}

std::vector<size_t> LayerAccuracies::Worst(size_t count) const {
  std::vector<size_t> places;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].moves && std::isfinite(layers[i].error.sqnr_db())) places.push_back(i);
  }
  std::ranges::stable_sort(places, {}, [&](size_t i) { return layers[i].error.sqnr_db(); });
  places.resize(std::min(places.size(), count));
  return places;
}

absl::StatusOr<LayerAccuracies> MeasureLayers(const Graph& graph, const Values& values, const Plan& plan,
                                              int64_t num_samples, const SampleSource& samples,
                                              const Progress& progress,
                                              const std::vector<InputFormat>& formats) {
  ASSIGN_OR_RETURN(const ServedInputs served, ServedInputs::Create(graph, plan.module(), formats));
  if (num_samples < 1) return MakeError(label::calibration_no_samples, "there is no sample to compare on");
  Layers layers(graph, values);
  std::map<tally::ValueId, std::optional<tally::Tensor>> held;  // computed by the module for the sample
  for (const auto& value : values) {
    if (value.has_value()) held.emplace(value->id, std::nullopt);
  }

  FloatExecutor executor(graph);
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> floats, samples(sample));
    ASSIGN_OR_RETURN(const std::vector<tally::Tensor> inputs, served.Of(floats, sample));
    std::vector<TensorView> views;
    for (size_t i = 0; i < inputs.size(); ++i) {
      views.push_back(inputs[i].view());
      held[static_cast<tally::ValueId>(i)] = inputs[i];  // parameters are the first values
    }
    const auto keep = [&](std::span<const CallSite> path, tally::ValueId id, const TensorView& tensor) {
      const auto value = path.empty() ? held.find(id) : held.end();
      if (value != held.end()) value->second = tally::Tensor::Copy(tensor, tensor.storage);
    };
    RETURN_IF_ERROR(plan.Execute(views, {.observer = keep}).status());
    absl::Status finite;
    const auto compare = [&](ValueId id, const FloatTensor& expected) {
      if (layers.PlaceOf(id) == kNoLayer) return;
      finite.Update(CheckFinite(expected.data, sample));
      // None of a constant, which no run computes.
      const std::optional<tally::Tensor>& codes = held[values[id]->id];
      if (!finite.ok() || !codes.has_value()) return;
      if (codes->shape().num_elements() == static_cast<int64_t>(expected.data.size()))
        AddErrors(expected.data, codes->view(), layers.all()[layers.PlaceOf(id)]);
    };
    RETURN_IF_ERROR(executor.Run(floats, {.observer = compare}).status());
    RETURN_IF_ERROR(finite);
    if (progress) progress(sample + 1, num_samples);
  }
  AddHeadroom(plan.module(), values, layers.all());
  AddLosses(layers.all());
  return LayerAccuracies{num_samples, std::move(layers.all())};
}

}  // namespace tally::quant
