#include "quant/graph/move_codes.h"

#include <optional>
#include <utility>

#include "quant/graph/float_executor.h"

namespace tally::quant {
namespace {

// Elements after one of `axis`.
int64_t InnerSize(const Shape& shape, size_t axis) {
  return NumElements(Shape(shape.begin() + static_cast<int64_t>(axis) + 1, shape.end()));
}

std::vector<int64_t> Moved(const Op& op, Int64Tensor elements, const Shape& result) {
  const Tensor operand = std::move(elements);
  const Tensor* operands[] = {&operand};
  return std::get<Int64Tensor>(EvaluateNode(op, operands, {ElementType::kInt64, result})).data;
}

// By place on `axis`, the channel of all elements there; nothing where there are several.
std::optional<std::vector<int64_t>> ChannelsAlong(const std::vector<int64_t>& channel_of, const Shape& shape,
                                                  size_t axis) {
  const int64_t inner = InnerSize(shape, axis), size = shape[axis];
  std::vector<int64_t> channels(static_cast<size_t>(size), -1);
  for (size_t i = 0; i < channel_of.size(); ++i) {
    int64_t& channel = channels[static_cast<size_t>(static_cast<int64_t>(i) / inner % size)];
    if (channel >= 0 && channel != channel_of[i]) return std::nullopt;
    channel = channel_of[i];
  }
  return channels;
}

}  // namespace

std::shared_ptr<const ConstantCodes> MovedCodes(const ConstantCodes& codes, const Op& op, const Shape& from,
                                                const ValueType& result) {
  if (TraitsOf(op).adds_zero) return nullptr;
  const std::vector<int64_t> moved =
      Moved(op, {from, {codes.codes.begin(), codes.codes.end()}}, result.shape);
  ConstantCodes result_codes = {{moved.begin(), moved.end()}, codes.scales, 0};
  if (codes.scales.size() == 1) return std::make_shared<const ConstantCodes>(std::move(result_codes));
  Int64Tensor channels{from, {}};
  const int64_t inner = InnerSize(from, static_cast<size_t>(codes.axis));
  for (int64_t i = 0; i < std::ssize(codes.codes); ++i) {
    channels.data.push_back(i / inner % std::ssize(codes.scales));
  }
  const std::vector<int64_t> channel_of = Moved(op, std::move(channels), result.shape);
  for (size_t axis = 0; axis < result.shape.size(); ++axis) {
    const auto along = ChannelsAlong(channel_of, result.shape, axis);
    if (!along.has_value()) continue;
    result_codes.axis = static_cast<int64_t>(axis);
    result_codes.scales.clear();
    for (const int64_t channel : *along) {
      result_codes.scales.push_back(codes.scales[static_cast<size_t>(channel)]);
    }
    return std::make_shared<const ConstantCodes>(std::move(result_codes));
  }
  return nullptr;
}

}  // namespace tally::quant
