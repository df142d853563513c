#include "cli/layers/graph_picture.h"

#include <algorithm>
#include <vector>

#include "cli/layers/layer_text.h"
#include "cli/layers/markup.h"

namespace tally::cli {
namespace {

constexpr double kWidth = 190, kHeight = 36, kColumn = 225, kRow = 62, kMargin = 10, kAside = 26;
constexpr double kFrame = 1180;      // that a page has room for
constexpr size_t kLeastInStrip = 8;  // rows: a short network is in one strip

struct Box {
  size_t row = 0, strip = 0;
  double x = 0, y = 0;  // its upper left corner

  double middle() const { return x + kWidth / 2; }
};

// A long chain goes on beside itself, in as many strips as there is room for.
void FoldIntoStrips(std::vector<Box>& boxes) {
  double width = 0;
  size_t rows = 0;
  for (const Box& box : boxes) {
    width = std::max(width, box.x + kColumn);
    rows = std::max(rows, box.row + 1);
  }
  const auto room = static_cast<size_t>(std::max(1.0, kFrame / (width + kAside)));
  const size_t strips = std::max<size_t>(1, std::min(room, rows / kLeastInStrip));
  const size_t rows_in_strip = (rows + strips - 1) / strips;
  for (Box& box : boxes) {
    box.strip = box.row / rows_in_strip;
    box.x += static_cast<double>(box.strip) * (width + kAside);
    box.y -= kRow * static_cast<double>(box.strip * rows_in_strip);
  }
}

std::vector<Box> Arrange(const quant::LayerAccuracies& layers) {
  std::vector<Box> boxes(layers.layers.size());
  std::vector<std::vector<size_t>> rows;
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (const size_t read : layers.layers[i].reads)
      boxes[i].row = std::max(boxes[i].row, boxes[read].row + 1);
    if (boxes[i].row >= rows.size()) rows.resize(boxes[i].row + 1);
    rows[boxes[i].row].push_back(i);
  }
  for (std::vector<size_t>& row : rows) {
    // Below what it reads, so that lines cross little.
    std::vector<double> wanted(boxes.size(), 0);
    for (const size_t i : row) {
      for (const size_t read : layers.layers[i].reads)
        wanted[i] += boxes[read].x / static_cast<double>(layers.layers[i].reads.size());
    }
    std::ranges::stable_sort(row, {}, [&](size_t i) { return wanted[i]; });
    double next = kMargin;
    for (const size_t i : row) {
      boxes[i].x = std::max(next, wanted[i]);
      boxes[i].y = kMargin + kRow * static_cast<double>(boxes[i].row);
      next = boxes[i].x + kColumn;
    }
  }
  if (!boxes.empty()) FoldIntoStrips(boxes);
  return boxes;
}

// From below `from` to above `to`; to the strip beside it from one side to the other; or on the right of
// both, around what is between them.
std::string Line(const Box& from, const Box& to) {
  const auto point = [](double x, double y) { return Coordinate(x) + " " + Coordinate(y); };
  std::string path;
  if (to.strip != from.strip) {
    const double x0 = from.x + kWidth, y0 = from.y + kHeight / 2, y1 = to.y + kHeight / 2,
                 half = (x0 + to.x) / 2;
    path = "M" + point(x0, y0) + "C" + point(half, y0) + " " + point(half, y1) + " " + point(to.x, y1);
  } else if (to.row - from.row == 1) {
    const double y0 = from.y + kHeight, half = (y0 + to.y) / 2;
    path = "M" + point(from.middle(), y0) + "C" + point(from.middle(), half) + " " +
           point(to.middle(), half) + " " + point(to.middle(), to.y);
  } else {
    const double y0 = from.y + kHeight / 2, y1 = to.y + kHeight / 2;
    const double right = std::max(from.x, to.x) + kWidth, aside = right + kAside;
    path = "M" + point(from.x + kWidth, y0) + "C" + point(aside, y0) + " " + point(aside, y1) + " " +
           point(to.x + kWidth, y1);
  }
  return "<path d=\"" + path + "\"/>\n";
}

std::string Shortened(const std::string& name) {
  constexpr size_t kMost = 26;
  return name.size() <= kMost ? name : "..." + name.substr(name.size() - kMost + 3);
}

}  // namespace

std::string GraphPicture(const quant::LayerAccuracies& layers) {
  const std::vector<Box> boxes = Arrange(layers);
  double width = 0, height = 0;
  for (const Box& box : boxes) {
    width = std::max(width, box.x + kColumn + kMargin);
    height = std::max(height, box.y + kHeight + kMargin);
  }
  std::string svg = "<svg role=\"img\" aria-label=\"the layers and what they read\" viewBox=\"0 0 " +
                    Coordinate(width) + " " + Coordinate(height) + "\" width=\"" + Coordinate(width) + "\"" +
                    (width <= kFrame + kAside ? "" : " height=\"" + Coordinate(height) + "\"") +
                    ">\n<g class=\"lines\">\n";
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (const size_t read : layers.layers[i].reads) svg += Line(boxes[read], boxes[i]);
  }
  svg += "</g>\n";
  for (size_t i = 0; i < boxes.size(); ++i) {
    const quant::LayerAccuracy& layer = layers.layers[i];
    const Box& box = boxes[i];
    const std::string x = Coordinate(box.middle());
    svg += "<a href=\"#layer-" + std::to_string(i) + "\"><title>" + Escaped(LayerLine(layer)) +
           "</title><rect x=\"" + Coordinate(box.x) + "\" y=\"" + Coordinate(box.y) + "\" width=\"" +
           Coordinate(kWidth) + "\" height=\"" + Coordinate(kHeight) + "\" rx=\"5\" fill=\"" +
           ColorOf(layer.error.sqnr_db()) + "\"/><text x=\"" + x + "\" y=\"" + Coordinate(box.y + 15) +
           "\">" + Escaped(Shortened(layer.name)) + "</text><text x=\"" + x + "\" y=\"" +
           Coordinate(box.y + 30) + "\">" + Escaped(layer.op) + ", " + SqnrText(layer.error.sqnr_db()) +
           "</text></a>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace tally::cli
