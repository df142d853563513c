#include "cli/layers/layer_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/printable.h"

namespace tally::cli {
namespace {

using quant::LayerAccuracies;
using quant::LayerAccuracy;

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Json OrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

// Finite numbers as they read back; nothing for others.
std::string Number(double value) { return std::isfinite(value) ? Formatted("%.9g", value) : ""; }

// Seven characters.
std::string Decibels(double db) { return std::isfinite(db) ? Formatted("%7.1f", db) : "  equal"; }

std::string Dims(const std::vector<int64_t>& shape, const char* separator) {
  std::string text;
  for (const int64_t dim : shape) text += (text.empty() ? "" : separator) + std::to_string(dim);
  return text;
}

}  // namespace

std::string SqnrText(double sqnr_db) {
  return std::isfinite(sqnr_db) ? Formatted("%.1f dB", sqnr_db) : "equal";
}

std::string LayerLine(const LayerAccuracy& layer) {
  std::string line = "'" + Printable(layer.name) + "' (" + layer.op + "): " + SqnrText(layer.error.sqnr_db());
  if (layer.loss_db.has_value() && *layer.loss_db > 0)
    line += Formatted(", %.1f dB less than what it reads", *layer.loss_db);
  return line + Formatted(", %.2f %% clipped", 100 * layer.saturated_share()) +
         Formatted(", %.0f %% of its grid used", 100 * layer.used_share());
}

std::string LayerTable(const LayerAccuracies& layers) {
  std::string table = "     dB   loss  alone   cosine  largest  clipped  used  room  layer\n";
  for (const LayerAccuracy& layer : layers.layers) {
    const double sqnr = layer.error.sqnr_db();
    table += Decibels(sqnr);
    table += layer.loss_db.has_value() ? Formatted("%7.1f", *layer.loss_db) : "       ";
    table += layer.alone_db.has_value() ? Decibels(*layer.alone_db) : "       ";
    table += Formatted("%9.5f", layer.error.cosine()) + Formatted("%9.1f", layer.largest_steps()) +
             Formatted("%8.2f%%", 100 * layer.saturated_share()) +
             Formatted("%5.0f%%", 100 * layer.used_share()) + Formatted("%6.0f", layer.headroom_bits) + "  " +
             Printable(layer.name) + " (" + layer.op + ")\n";
  }
  if (!table.empty()) table.pop_back();  // the last line's end
  return table;
}

Json LayersToJson(const LayerAccuracies& layers) {
  Json list = Json::array();
  for (const LayerAccuracy& layer : layers.layers) {
    Json reads = Json::array();
    for (const size_t place : layer.reads) reads.push_back(layers.layers[place].name);
    list.push_back({{"name", layer.name},
                    {"operator", layer.op},
                    {"source", layer.source},
                    {"shape", layer.shape},
                    {"sqnr_db", OrNull(layer.error.sqnr_db())},
                    {"loss_db", layer.loss_db ? Json(*layer.loss_db) : Json(nullptr)},
                    {"alone_db", layer.alone_db ? OrNull(*layer.alone_db) : Json(nullptr)},
                    {"cosine", layer.error.cosine()},
                    {"largest_steps", layer.largest_steps()},
                    {"saturated", layer.saturated_share()},
                    {"used", layer.used_share()},
                    {"headroom_bits", layer.headroom_bits},
                    {"scale", layer.type.scale},
                    {"zero_point", layer.type.zero_point},
                    {"interval", {layer.type.interval.lo, layer.type.interval.hi}},
                    {"reads", std::move(reads)},
                    {"histogram",
                     {{"low", layer.histogram.low},
                      {"high", layer.histogram.high},
                      {"counts", layer.histogram.counts}}}});
  }
  return list;
}

std::string LayersToCsv(const LayerAccuracies& layers) {
  std::string csv =
      "name,operator,source,shape,sqnr_db,loss_db,alone_db,cosine,largest_steps,saturated,used,headroom_bits,"
      "scale,zero_point,lo,"
      "hi\r\n";
  for (const LayerAccuracy& layer : layers.layers) {
    const auto& [lo, hi] = layer.type.interval;
    for (const std::string& field :
         {Quoted(layer.name), layer.op, Quoted(layer.source), Dims(layer.shape, "x"),
          Number(layer.error.sqnr_db()), layer.loss_db ? Number(*layer.loss_db) : std::string(),
          layer.alone_db ? Number(*layer.alone_db) : std::string(), Number(layer.error.cosine()),
          Number(layer.largest_steps()), Number(layer.saturated_share()), Number(layer.used_share()),
          std::to_string(layer.headroom_bits), Number(layer.type.scale),
          std::to_string(layer.type.zero_point), std::to_string(lo), std::to_string(hi)}) {
      csv += field + ",";
    }
    csv.back() = '\r';
    csv += '\n';
  }
  return csv;
}

}  // namespace tally::cli
