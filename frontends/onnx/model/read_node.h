// The parts of a node that both importers read in the same way: attributes, and lists that were attributes
// before they became inputs. `Node` is a NodeContext or an ExactNode. Errors, for all: those of Attributes;
// of inputs that are no constants; model_malformed for a name that means nothing.
//
//   ASSIGN_OR_RETURN(const ReducedAxes axes, ReadReducedAxes(node, /*since=*/18));
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/labels.h"
#include "ops/gather/attrs.h"
#include "ops/image/attrs.h"

namespace tally::onnx {

// A list that is an input from opset `since` on, and an attribute before; nothing where it is left out.
template <typename Node>
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadList(Node& node, std::string_view attribute,
                                                             size_t input, int64_t since) {
  if (node.opset() < since) return node.attributes().Ints(attribute);
  if (!node.HasInput(input)) return std::nullopt;
  ASSIGN_OR_RETURN(std::vector<int64_t> list, node.Ints(input));
  return list;
}

// The place of a string attribute among `names`.
template <typename Choice, typename Node, size_t N>
absl::StatusOr<Choice> ReadChoice(Node& node, std::string_view attribute, const std::string& fallback,
                                  const std::array<std::string_view, N>& names) {
  ASSIGN_OR_RETURN(const std::string name, node.attributes().String(attribute, fallback));
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Choice>(found - names.begin());
  return MakeError(label::model_malformed,
                   "attribute " + std::string(attribute) + " is " + PrintableStart(name));
}

struct ReducedAxes {
  std::vector<int64_t> axes;  // as the file has them; all where there are none, unless x is the result
  bool keep_dimensions = true;
  bool is_identity = false;
};

template <typename Node>
absl::StatusOr<ReducedAxes> ReadReducedAxes(Node& node, int64_t since) {
  ReducedAxes read;
  ASSIGN_OR_RETURN(read.keep_dimensions, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(const auto list, ReadList(node, "axes", 1, since));
  read.axes = list.value_or(std::vector<int64_t>());
  if (node.opset() < since) return read;
  ASSIGN_OR_RETURN(const bool noop, node.attributes().Bool("noop_with_empty_axes", false));
  read.is_identity = noop && read.axes.empty();
  return read;
}

struct ArgExtremeForm {
  int64_t axis = 0;
  bool keep_dimension = true;
  bool takes_last = false;
};

template <typename Node>
absl::StatusOr<ArgExtremeForm> ReadArgExtreme(Node& node) {
  ArgExtremeForm read;
  ASSIGN_OR_RETURN(read.axis, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(read.keep_dimension, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(read.takes_last, node.attributes().Bool("select_last_index", false));
  return read;
}

// How much is added to each axis of a value of `rank`; less than nothing removes.
struct PadAmounts {
  std::vector<int64_t> before, after;
};

// An amount is within `most`.
template <typename Node>
absl::StatusOr<PadAmounts> ReadPads(Node& node, size_t rank, int64_t most) {
  using label::model_malformed;
  ASSIGN_OR_RETURN(const auto list, ReadList(node, "pads", 1, 11));
  if (!list.has_value()) return MakeError(model_malformed, "Pad has no pads");
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.opset() >= 18 && node.HasInput(3)) {
    ASSIGN_OR_RETURN(axes, node.Ints(3));
  }
  if (list->size() != 2 * axes.size()) {
    return MakeError(model_malformed, "there are " + std::to_string(list->size()) + " pads for " +
                                          std::to_string(axes.size()) + " axes");
  }
  PadAmounts pads = {std::vector<int64_t>(rank), std::vector<int64_t>(rank)};
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, frontend::NormalizeAxis(axes[i], rank));
    const int64_t before = (*list)[i], after = (*list)[axes.size() + i];
    if (std::clamp(before, -most, most) != before || std::clamp(after, -most, most) != after) {
      return MakeError(model_malformed, "a pad is out of range");
    }
    pads.before[static_cast<size_t>(axis)] = before;
    pads.after[static_cast<size_t>(axis)] = after;
  }
  return pads;
}

struct BlockForm {
  int64_t size = 0;
  bool block_first = true;  // in the channels, before the depth
};

template <typename Node>
absl::StatusOr<BlockForm> ReadBlocks(Node& node, bool has_mode) {
  BlockForm read;
  ASSIGN_OR_RETURN(read.size, node.attributes().Int("blocksize", 0));
  if (!has_mode) return read;
  constexpr std::array<std::string_view, 2> kModes = {"CRD", "DCR"};
  ASSIGN_OR_RETURN(read.block_first, ReadChoice<bool>(node, "mode", "DCR", kModes));
  return read;
}

// The fraction is that of the operand. The names of two modes changed in opset 20.
template <typename Node>
absl::StatusOr<GridForm> ReadGridSample(Node& node) {
  constexpr std::array<std::string_view, 3> kOldModes = {"nearest", "bilinear", "bicubic"},
                                            kModes = {"nearest", "linear", "cubic"};
  GridForm read = {};
  const bool is_old = node.opset() < 20;
  ASSIGN_OR_RETURN(read.mode, ReadChoice<GridSampleMode>(node, "mode", is_old ? "bilinear" : "linear",
                                                         is_old ? kOldModes : kModes));
  ASSIGN_OR_RETURN(read.padding, ReadChoice<GridPadding>(node, "padding_mode", "zeros", kGridPaddingNames));
  ASSIGN_OR_RETURN(read.align_corners, node.attributes().Bool("align_corners", false));
  if (read.mode == GridSampleMode::kCubic && read.padding == GridPadding::kReflection) {
    return MakeError(label::model_unsupported_attribute,
                     "bicubic reflection folds the position, not the taps");
  }
  return read;
}

struct GemmForm {
  float alpha = 1, beta = 1;
  bool transpose_a = false, transpose_b = false;
};

template <typename Node>
absl::StatusOr<GemmForm> ReadGemm(Node& node) {
  GemmForm read;
  ASSIGN_OR_RETURN(read.alpha, node.attributes().Float("alpha", 1));
  ASSIGN_OR_RETURN(read.beta, node.attributes().Float("beta", 1));
  ASSIGN_OR_RETURN(read.transpose_a, node.attributes().Bool("transA", false));
  ASSIGN_OR_RETURN(read.transpose_b, node.attributes().Bool("transB", false));
  return read;
}

template <typename Node>
absl::StatusOr<ScatterKind> ReadScatterKind(Node& node) {
  ASSIGN_OR_RETURN(const std::string reduction, node.attributes().String("reduction", "none"));
  if (reduction == "none") return ScatterKind::kUpdate;
  const auto found = std::ranges::find(kScatterKindNames, reduction);
  if (found == kScatterKindNames.end() || reduction == "update" || reduction == "sub") {
    return MakeError(label::model_malformed, "attribute reduction is " + PrintableStart(reduction));
  }
  return static_cast<ScatterKind>(found - kScatterKindNames.begin());
}

// Which triangle, and how far from the diagonal it begins.
struct TriangleForm {
  bool upper = true;
  int64_t k = 0;
};

template <typename Node>
absl::StatusOr<TriangleForm> ReadTriangle(Node& node) {
  TriangleForm read;
  ASSIGN_OR_RETURN(read.upper, node.attributes().Bool("upper", true));
  if (!node.HasInput(1)) return read;
  ASSIGN_OR_RETURN(const std::vector<int64_t> diagonal, node.Ints(1));
  if (diagonal.size() != 1) return MakeError(label::model_shape, "k of Trilu is not one number");
  read.k = diagonal[0];
  return read;
}

}  // namespace tally::onnx
