#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "quant/ops/regions/region_ops.h"

namespace tally::quant {
namespace {

constexpr int64_t kMostPoints = 4096;  // along an axis of a region

bool IsSize(const Extents& size) {
  return size.y >= 1 && size.x >= 1 && size.y <= kMostPoints && size.x <= kMostPoints && size.z == 1;
}

// Regions [R, 4] of x and their images; a finite scale above 0 that ten bits and thirty after the point hold.
absl::Status CheckRegions(std::string_view op, const OperandTypes& operands, const Extents& size,
                          float scale) {
  const std::string name(op);
  const ValueType &x = operands[0], &regions = operands[1], &images = operands[2];
  if (x.element != ElementType::kFloat32 || regions.element != ElementType::kFloat32 ||
      images.element != ElementType::kInt64) {
    return MakeError(label::graph_element_type, name + " takes floats, regions of floats and int64 images");
  }
  if (x.shape.size() != 4 || regions.shape.size() != 2 || regions.shape[1] != 4 ||
      images.shape != Shape{regions.shape[0]}) {
    return BadShape(name + " takes x [N, C, H, W], regions [R, 4] and images [R], not " + ToString(x.shape) +
                    ", " + ToString(regions.shape) + " and " + ToString(images.shape));
  }
  if (!IsSize(size)) return BadAttribute(name + ": the size of a region is not within 1 and 4096");
  if (!(scale >= 0x1p-20f && scale <= 0x1p10f)) return BadAttribute(name + ": scale out of range");
  return absl::OkStatus();
}

// A result of regions with `channels`, of size.y * size.x elements each.
ValueType Pooled(const OperandTypes& operands, int64_t channels, const Extents& size) {
  return {ElementType::kFloat32, {operands[1].shape[0], channels, size.y, size.x}};
}

absl::StatusOr<int64_t> ChannelsOfBins(std::string_view op, const OperandTypes& operands,
                                       const Extents& bins) {
  const int64_t channels = operands[0].shape[1], of_one = bins.y * bins.x;
  if (channels % of_one == 0) return channels / of_one;
  return BadShape(std::string(op) + ": " + std::to_string(channels) + " channels do not divide among " +
                  std::to_string(of_one) + " bins");
}

}  // namespace

TypeResult RoiMaxPool::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckRegions(kTraits.name, operands, size, scale));
  return Pooled(operands, operands[0].shape[1], size);
}

TypeResult RoiAlign::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckRegions(kTraits.name, operands, size, scale));
  if (sampling_ratio < 0 || sampling_ratio > kMostPoints) {
    return BadAttribute("RoiAlign: sampling_ratio is not within 0 and 4096");
  }
  return Pooled(operands, operands[0].shape[1], size);
}

TypeResult PsroiPool::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckRegions(kTraits.name, operands, size, scale));
  if (!IsSize(parts)) return BadAttribute("PsroiPool: parts are not within 1 and 4096");
  ASSIGN_OR_RETURN(const int64_t channels,
                   ChannelsOfBins(kTraits.name, operands, mode == PsroiMode::kAverage ? size : parts));
  return Pooled(operands, channels, size);
}

TypeResult DeformablePsroiPool::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckRegions(kTraits.name, operands, size, scale));
  if (!IsSize(parts)) return BadAttribute("DeformablePsroiPool: parts are not within 1 and 4096");
  if (!(offset_scale >= 0x1p-20f && offset_scale <= 0x1p10f)) {
    return BadAttribute("DeformablePsroiPool: offset_scale out of range");
  }
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsOfBins(kTraits.name, operands, size));
  if (operands.size() == 4) {
    const ValueType& offsets = operands[3];
    if (offsets.element != ElementType::kFloat32) {
      return MakeError(label::graph_element_type, "DeformablePsroiPool: the offsets are not floats");
    }
    if (offsets.shape.size() != 4 || offsets.shape[0] != operands[1].shape[0] || offsets.shape[1] % 2 != 0 ||
        channels % (offsets.shape[1] / 2) != 0) {
      return BadShape("DeformablePsroiPool: offsets " + ToString(offsets.shape) + " do not fit " +
                      std::to_string(operands[1].shape[0]) + " regions of " + std::to_string(channels) +
                      " channels");
    }
  }
  return Pooled(operands, channels, size);
}

TypeResult CropResize::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckRegions(kTraits.name, operands, size, scale));
  return Pooled(operands, operands[0].shape[1], size);
}

}  // namespace tally::quant
