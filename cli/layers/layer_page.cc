#include "cli/layers/layer_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/printable.h"
#include "cli/layers/graph_picture.h"
#include "cli/layers/layer_text.h"
#include "cli/layers/markup.h"

namespace tally::cli {
namespace {

using quant::LayerAccuracies;
using quant::LayerAccuracy;

constexpr char kStyle[] = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}code{font-size:.92em;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{padding:.25em .6em;text-align:right;border-bottom:1px solid #ddd;vertical-align:top}
th{position:sticky;top:0;background:#fff}th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
tr:target{background:#fff6c8}.bar{text-align:left;width:22%}.bar span{display:block;height:1.1em;border-radius:3px}
.picture{overflow:auto;max-height:80vh;border:1px solid #ddd;border-radius:5px}
.picture svg{display:block;margin:0 auto}.picture svg:not([height]){max-width:100%;height:auto}
.histogram{max-width:100%;height:auto}td{white-space:nowrap}td:first-child{white-space:normal}
svg text{font:11px system-ui,sans-serif;text-anchor:middle;fill:#222}svg rect{stroke:#777}
.lines path{fill:none;stroke:#999;stroke-width:1.3}
.histogram rect{stroke:none;fill:#6b8fc9}.histogram line{stroke:#c33;stroke-width:1.5;stroke-dasharray:4 3}
.worst{display:grid;grid-template-columns:repeat(auto-fill,minmax(24em,1fr));gap:1em}
.card{border:1px solid #ddd;border-radius:5px;padding:.8em;min-width:0;overflow-wrap:anywhere}summary{cursor:pointer}
)";

std::string ShortNumber(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Bars of logarithmic height, with lines where the grid ends.
std::string HistogramPicture(const LayerAccuracy& layer) {
  constexpr double kWidth = 384, kHeight = 90;
  const quant::Histogram& histogram = layer.histogram;
  const auto height = [](int64_t count) { return std::log1p(static_cast<double>(count)); };
  const double largest = height(std::max<int64_t>(std::ranges::max(histogram.counts), 1));
  const double bin = kWidth / static_cast<double>(quant::Histogram::kBins);
  std::string svg =
      "<svg class=\"histogram\" role=\"img\" aria-label=\"how often values occur\" width=\"384\" "
      "height=\"110\" viewBox=\"0 0 384 110\">";
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] == 0) continue;
    const double h = kHeight * height(histogram.counts[i]) / largest;
    svg += "<rect x=\"" + Coordinate(static_cast<double>(i) * bin) + "\" y=\"" + Coordinate(kHeight - h) +
           "\" width=\"" + Coordinate(bin - 0.5) + "\" height=\"" + Coordinate(h) + "\"/>";
  }
  for (const double clip : {layer.clip_low(), layer.clip_high()}) {
    const double x = kWidth * (clip - histogram.low) / (histogram.high - histogram.low);
    svg += "<line x1=\"" + Coordinate(x) + "\" y1=\"0\" x2=\"" + Coordinate(x) + "\" y2=\"" +
           Coordinate(kHeight) + "\"/><text x=\"" + Coordinate(x) + "\" y=\"104\">" + ShortNumber(clip) +
           "</text>";
  }
  return svg + "</svg>";
}

std::string Card(const LayerAccuracies& layers, size_t place) {
  const LayerAccuracy& layer = layers.layers[place];
  return "<div class=\"card\"><b><a href=\"#layer-" + std::to_string(place) + "\">" + Escaped(layer.name) +
         "</a></b><p>" + Escaped(LayerLine(layer)) + "</p><p>" + Escaped(layer.source) + "</p>" +
         HistogramPicture(layer) + "</div>\n";
}

// As long as its SQNR is good.
std::string Bar(double sqnr_db) {
  constexpr double kLongest = 60;  // dB
  const double share = std::isnan(sqnr_db) ? 0 : std::clamp(sqnr_db / kLongest, 0.01, 1.0);
  return "<td class=\"bar\"><span style=\"width:" + Coordinate(100 * share) +
         "%;background:" + ColorOf(sqnr_db) + "\"></span></td>";
}

std::string Row(const LayerAccuracies& layers, size_t place) {
  const LayerAccuracy& layer = layers.layers[place];
  const double sqnr = layer.error.sqnr_db();
  const auto cell = [](const std::string& text) { return "<td>" + text + "</td>"; };
  return "<tr id=\"layer-" + std::to_string(place) + "\"><td><details><summary>" + Escaped(layer.name) +
         " <small>" + Escaped(layer.op) + "</small></summary><p>" + Escaped(layer.source) + "</p><p>step " +
         ShortNumber(layer.type.scale) + ", codes " + std::to_string(layer.type.interval.lo) + " to " +
         std::to_string(layer.type.interval.hi) + ", 0 is " + std::to_string(layer.type.zero_point) + "</p>" +
         HistogramPicture(layer) + "</details></td>" + Bar(sqnr) + cell(SqnrText(sqnr)) +
         cell(layer.loss_db ? Fixed(*layer.loss_db, 1) : "") +
         cell(layer.alone_db ? SqnrText(*layer.alone_db) : "") + cell(Fixed(layer.error.cosine(), 5)) +
         cell(Fixed(layer.largest_steps(), 1)) + cell(Fixed(100 * layer.saturated_share(), 2) + " %") +
         cell(Fixed(100 * layer.used_share(), 0) + " %") + cell(std::to_string(layer.headroom_bits)) +
         "</tr>\n";
}

}  // namespace

std::string LayerPage(const PageTitle& title, const LayerAccuracies& layers) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Accuracy by layer</title><style>";
  page += kStyle;
  page +=
      "</style></head><body>\n<h1>Where accuracy goes</h1>\n<p>Module <code>" + Escaped(title.module_id) +
      "</code> beside the float network <code>" + Escaped(Printable(title.network)) + "</code>, on " +
      std::to_string(layers.samples) +
      " samples. SQNR, the signal to quantization noise ratio, is of each value with all that came "
      "before it: 20 dB "
      "is poor, 30 good for 8 bits, and 6 are one bit. <i>Loss</i> is how much less it is than the least "
      "of what "
      "the layer reads: accuracy goes where it is large. <i>Alone</i> is the SQNR of the worst output where "
      "this value is on its grid and all else in floats, where that was measured "
      "(<code>--sensitivity</code>). "
      "<i>Headroom</i> are the bits of 63 that no number on the way to the layer can need.</p>\n<h2>The "
      "worst layers</h2>\n<div "
      "class=\"worst\">\n";
  for (const size_t place : layers.Worst(3)) page += Card(layers, place);
  page +=
      "</div>\n<p>Histograms are of the float network, of logarithmic height; what lies beyond the dashed "
      "lines is "
      "clipped.</p>\n<h2>The network</h2>\n<div class=\"picture\">\n" +
      GraphPicture(layers) +
      "</div>\n<h2>All layers</h2>\n<table><thead><tr><th>layer</th><th class=\"bar\">SQNR, up to 60 "
      "dB</th><th>SQNR</th>"
      "<th>loss, dB</th><th>alone</th><th>cosine</th><th>largest error, steps</th><th>clipped</th><th>grid "
      "used</th><th>headroom, bits</th></tr></thead><tbody>\n";
  for (size_t i = 0; i < layers.layers.size(); ++i) page += Row(layers, i);
  return page + "</tbody></table>\n</body></html>\n";
}

}  // namespace tally::cli
