#include "cli/layers/netron_json.h"

#include <vector>

#include "base/printable.h"
#include "cli/json_output.h"
#include "cli/layers/layer_text.h"

namespace tally::cli {
namespace {

// The integers that hold a grid's codes.
std::string StorageOf(const quant::QuantizedType& type) {
  const int64_t span = type.interval.hi - type.interval.lo;
  return span < 256 ? "int8" : span < 65536 ? "int16" : "int32";
}

Json Attribute(const char* name, const std::string& value) {
  return {{"name", name}, {"type", "string"}, {"value", value}};
}

Json NodeOf(const quant::LayerAccuracy& layer, size_t place) {
  const quant::QuantizedType& type = layer.type;
  Json inputs = Json::array();
  for (const size_t read : layer.reads) inputs.push_back({{"name", "reads"}, {"value", {read}}});
  return {{"name", layer.name},
          {"type", {{"name", layer.op}, {"category", layer.moves ? "Shape" : "Layer"}}},
          {"inputs", inputs},
          {"outputs", {{{"name", "result"}, {"value", {place}}}}},
          {"attributes",
           {Attribute("SQNR", SqnrText(layer.error.sqnr_db())), Attribute("accuracy", LayerLine(layer)),
            Attribute("source", Printable(layer.source)),
            Attribute("grid", std::to_string(type.scale) + " * (code - " + std::to_string(type.zero_point) +
                                  "), codes " + std::to_string(type.interval.lo) + " to " +
                                  std::to_string(type.interval.hi))}}};
}

}  // namespace

std::string NetronJson(const PageTitle& title, const quant::LayerAccuracies& layers) {
  Json values = Json::array(), nodes = Json::array(), inputs = Json::array(), outputs = Json::array();
  std::vector<bool> is_read(layers.layers.size());
  for (const quant::LayerAccuracy& layer : layers.layers) {
    for (const size_t read : layer.reads) is_read[read] = true;
  }
  for (size_t i = 0; i < layers.layers.size(); ++i) {
    const quant::LayerAccuracy& layer = layers.layers[i];
    values.push_back(
        {{"name", layer.name},
         {"type", {{"dataType", StorageOf(layer.type)}, {"shape", {{"dimensions", layer.shape}}}}}});
    const Json argument = {{"name", layer.name}, {"value", {i}}};
    if (layer.op == "input") {
      inputs.push_back(argument);
      continue;
    }
    nodes.push_back(NodeOf(layer, i));
    if (!is_read[i]) outputs.push_back(argument);
  }
  const Json module = {
      {"name", "layers"}, {"values", values}, {"inputs", inputs}, {"outputs", outputs}, {"nodes", nodes}};
  // Netron knows the file by its first key.
  nlohmann::ordered_json json;
  json["signature"] = "netron:tally";
  json["format"] = "Tally layers";
  json["description"] = "module " + title.module_id + " beside " + Printable(title.network);
  json["modules"] = {module};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tally::cli
