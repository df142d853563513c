// The boxes that suppression selects, for the compositions of detectors (detection.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// x in another shape, or as it is.
absl::StatusOr<Operand> InShape(Emitter& emitter, const Operand& x, const quant::Shape& shape,
                                std::string_view step);

// Corners within 0 and the `bounds` (x, y), if there are any.
absl::StatusOr<Operand> CutToBounds(Emitter& emitter, Operand boxes,
                                    const std::optional<std::vector<float>>& bounds);

struct KeptBoxes {
  Operand rows, counts;
};
absl::StatusOr<KeptBoxes> SuppressBoxes(Emitter& emitter, const Operand& boxes, const Operand& scores,
                                        quant::NonMaxSuppression how);

// The rows of KeptBoxes, and the elements that their columns (image, class, box) lead to.
class SelectedBoxes {
 public:
  SelectedBoxes(Emitter& emitter, Operand rows) : emitter_(emitter), rows_(std::move(rows)) {}

  absl::StatusOr<Operand> Column(int64_t column, std::string_view step);
  // `from` at the places that these columns say, 0 where a row is not there.
  absl::StatusOr<Operand> At(const Operand& from, const std::vector<int64_t>& columns, std::string_view step);

 private:
  Emitter& emitter_;
  Operand rows_;
};

}  // namespace tally::frontend
