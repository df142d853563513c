// Channels whose scale is free: what makes them can be divided by any factor for each channel, and what reads
// them multiplied, so that the network stays as it is.
//
//   const ChannelGroups groups = FindChannelGroups(graph);
//   groups.list[0].name;      // "conv1": conv1 -> relu -> conv2, whose weights take the factors
//   groups.constants;         // all that a factor would change
//
// Factors go through what is linear or positively homogeneous: Relu, slopes, pools, sums, moves of elements.
// They end in the weights of layers, in the scales and offsets of norms, and in constant factors of elements.
// Where anything else reads or makes a value, or it is an input or output of the network, there is no group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quant/graph/graph.h"

namespace tally::quant {

// Where the elements of a constant belong to channels of what is read ("in") and of what is made ("out").
struct ChannelLayout {
  enum class Kind {
    kOutIn,   // [out, in / groups, taps..]: Conv, Dense
    kInOut,   // [in, out / groups, taps..]: ConvTranspose, MatMul
    kByAxis,  // a list along `axis`: in and out are the same
  };
  Kind kind = Kind::kByAxis;
  int64_t groups = 1;
  size_t axis = 0;  // the constant's own

  struct Channels {
    int64_t in, out;
  };
  Channels Of(int64_t element, const Shape& shape) const;
};

// A constant that takes factors: multiplied by those of group `in`, divided by those of group `out`.
struct ScaledConstant {
  ValueId value;
  size_t node;  // that reads it
  std::optional<size_t> in, out;
  ChannelLayout layout;
  Shape grown = {};  // the shape with an element for each channel, where there is one number for all
};

struct ChannelGroup {
  std::string name;  // that of the first value that a layer makes
  int64_t channels = 0;
  // The operands of layers, with the axis of their channels.
  struct Read {
    ValueId value;
    size_t axis;
  };
  std::vector<Read> reads;
};

struct ChannelGroups {
  std::vector<ChannelGroup> list;  // in the order of the graph
  std::vector<ScaledConstant> constants;
};

// Elements after one of `axis`.
int64_t InnerSize(const Shape& shape, size_t axis);

// The elements of such a constant, one for each channel where there was one for all.
FloatTensor WithChannels(const ScaledConstant& constant, FloatTensor elements);

ChannelGroups FindChannelGroups(const Graph& graph);

}  // namespace tally::quant
