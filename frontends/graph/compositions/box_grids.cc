#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/detection.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::FloatTensor;
using quant::Shape;

std::vector<std::pair<double, double>> SidesOfCells(const std::vector<float>& least,
                                                    const std::vector<float>& largest,
                                                    const std::vector<double>& ratios,
                                                    const CellOrder& order) {
  std::vector<std::pair<double, double>> sides;
  const auto add_ratios = [&](size_t i) {
    if (!order.scales_all && i + 1 < least.size()) return;
    const double side = order.scales_all ? least[i] : least[0];
    for (const double ratio : ratios) sides.emplace_back(side * std::sqrt(ratio), side / std::sqrt(ratio));
  };
  for (size_t i = 0; i < least.size(); ++i) {
    const double side = least[i];
    sides.emplace_back(side, side);
    if (order.ratios_first) add_ratios(i);
    if (i < largest.size()) {
      const double mean = std::sqrt(side * largest[i]);
      sides.emplace_back(mean, mean);
    }
    if (!order.ratios_first) add_ratios(i);
  }
  return sides;
}

absl::StatusOr<Operand> GridBoxes(Emitter& emitter, const BoxGrid& grid) {
  const Shape shape = {grid.rows, grid.columns, std::ssize(grid.sides), 4};
  RETURN_IF_ERROR(emitter.Charge(quant::NumElements(shape)));
  FloatTensor boxes{{quant::NumElements(shape) / 4, 4}, {}};
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      const double x = grid.first_x + static_cast<double>(column) * grid.step_x;
      const double y = grid.first_y + static_cast<double>(row) * grid.step_y;
      for (const auto& [across, down] : grid.sides) {
        for (const double corner : {(x - across / 2) / grid.width, (y - down / 2) / grid.height,
                                    (x + across / 2) / grid.width, (y + down / 2) / grid.height}) {
          if (!(std::abs(corner) <= std::numeric_limits<float>::max())) {
            return MakeError(label::model_malformed, "a corner of a prior is infinite or no number");
          }
          boxes.data.push_back(static_cast<float>(grid.clip ? std::clamp(corner, 0.0, 1.0) : corner));
        }
      }
    }
  }
  return emitter.NewConstant(std::move(boxes), "priors");
}

}  // namespace tally::frontend
