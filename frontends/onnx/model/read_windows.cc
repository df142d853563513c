#include "frontends/onnx/model/read_windows.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "base/shape.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::onnx {

using frontend::AutoPad;

namespace {

// A list of `size` integers, each at least `least`, or nothing.
absl::StatusOr<std::optional<Extents>> Checked(std::optional<Extents> values, std::string_view name,
                                               size_t size, int64_t least) {
  if (!values.has_value()) return values;
  const bool in_range =
      std::ranges::all_of(*values, [&](int64_t value) { return value >= least && value <= kMaxDim; });
  if (values->size() == size && in_range) return values;
  return MakeError(label::model_malformed, "attribute " + std::string(name) + " is not " +
                                               std::to_string(size) + " integers of at least " +
                                               std::to_string(least));
}

absl::StatusOr<std::optional<Extents>> ReadInts(Attributes& attributes, std::string_view name, size_t size,
                                                int64_t least) {
  ASSIGN_OR_RETURN(const auto values, attributes.Ints(name));
  return Checked(values, name, size, least);
}

// An attribute of the NHWC dialect, without batch and channels.
absl::StatusOr<std::optional<Extents>> ReadSpatial(Attributes& attributes, std::string_view name,
                                                   size_t size) {
  ASSIGN_OR_RETURN(auto values, attributes.Ints(name));
  if (values.has_value() && values->size() == size + 2 && values->front() == 1 && values->back() == 1) {
    values = Extents(values->begin() + 1, values->end() - 1);
  }
  return Checked(std::move(values), name, size, 1);
}
// kernel_shape as it was read, or what the weight says.
absl::StatusOr<Extents> KernelFrom(const std::optional<Extents>& kernel,
                                   const std::optional<Extents>& weight_kernel) {
  if (!kernel.has_value()) {
    if (weight_kernel.has_value()) return *weight_kernel;
    return MakeError(label::model_malformed, "attribute kernel_shape is missing");
  }
  if (weight_kernel.has_value() && kernel != weight_kernel) {
    return MakeError(label::model_shape, "attribute kernel_shape is not the shape of the weight");
  }
  return *kernel;
}

// The attributes of windows of all kinds, with the pads that the file gives.
struct Stated {
  LayerWindows windows;
  std::string auto_pad;

  AutoPad how() const {
    if (auto_pad == "SAME_UPPER") return AutoPad::kSameUpper;
    return auto_pad == "SAME_LOWER" ? AutoPad::kSameLower : AutoPad::kNone;
  }
};

absl::StatusOr<Stated> ReadStated(Attributes& attributes, size_t axes,
                                  const std::optional<Extents>& weight_kernel) {
  Stated stated;
  LayerWindows& windows = stated.windows;
  ASSIGN_OR_RETURN(const auto kernel, ReadInts(attributes, "kernel_shape", axes, 1));
  ASSIGN_OR_RETURN(windows.kernel, KernelFrom(kernel, weight_kernel));
  ASSIGN_OR_RETURN(const auto strides, ReadInts(attributes, "strides", axes, 1));
  ASSIGN_OR_RETURN(const auto dilations, ReadInts(attributes, "dilations", axes, 1));
  const ::onnx::AttributeProto* stated_pads = attributes.Find("pads");
  if (stated_pads != nullptr && stated_pads->type() == ::onnx::AttributeProto::STRING) {
    return MakeError(label::model_malformed,
                     "attribute pads is a word, as in the NHWC dialect: --dialect nhwc");
  }
  ASSIGN_OR_RETURN(const auto pads, ReadInts(attributes, "pads", 2 * axes, 0));
  ASSIGN_OR_RETURN(stated.auto_pad, attributes.String("auto_pad", "NOTSET"));
  windows.stride = strides.value_or(Extents(axes, 1));
  windows.dilation = dilations.value_or(Extents(axes, 1));
  const Extents both = pads.value_or(Extents(2 * axes, 0));
  windows.pad_begin.assign(both.begin(), both.begin() + static_cast<int64_t>(axes));
  windows.pad_end.assign(both.begin() + static_cast<int64_t>(axes), both.end());
  const bool is_known = stated.auto_pad == "NOTSET" || stated.auto_pad == "VALID" ||
                        stated.auto_pad == "SAME_UPPER" || stated.auto_pad == "SAME_LOWER";
  if (!is_known) {
    return MakeError(label::model_malformed, "attribute auto_pad is " + PrintableStart(stated.auto_pad));
  }
  if (stated.auto_pad != "NOTSET" && windows.has_pads()) {
    return MakeError(label::model_malformed, "attributes auto_pad and pads exclude each other");
  }
  return stated;
}

}  // namespace

absl::StatusOr<LayerWindows> ReadWindows(Attributes& attributes, std::span<const int64_t> dims,
                                         const std::optional<Extents>& weight_kernel, bool has_ceil_mode) {
  ASSIGN_OR_RETURN(Stated stated, ReadStated(attributes, dims.size(), weight_kernel));
  LayerWindows& windows = stated.windows;
  if (has_ceil_mode) {
    ASSIGN_OR_RETURN(windows.ceil_mode, attributes.Bool("ceil_mode", false));
  }
  if (windows.ceil_mode && stated.auto_pad != "NOTSET") {
    return MakeError(label::model_unsupported_attribute, "ceil_mode with auto_pad is not imported");
  }
  windows.PadAutomatically(stated.how(), dims);
  return std::move(windows);
}

absl::StatusOr<LayerWindows> ReadNhwcWindows(Attributes& attributes, std::span<const int64_t> dims,
                                             const std::optional<Extents>& weight_kernel) {
  const size_t axes = dims.size();
  const ::onnx::AttributeProto* stated = attributes.Find("pads");
  const bool has_numbers = stated != nullptr && stated->type() == ::onnx::AttributeProto::INTS;
  if (has_numbers || attributes.Find("auto_pad") != nullptr) {
    return MakeError(label::model_malformed,
                     "its pads are those of ONNX's own layout, in the NHWC dialect \"SAME\" or \"VALID\": "
                     "import the file without --dialect");
  }
  LayerWindows windows;
  ASSIGN_OR_RETURN(const auto kernel, ReadSpatial(attributes, "kernel_shape", axes));
  ASSIGN_OR_RETURN(windows.kernel, KernelFrom(kernel, weight_kernel));
  ASSIGN_OR_RETURN(const auto strides, ReadSpatial(attributes, "strides", axes));
  ASSIGN_OR_RETURN(const auto dilations, ReadSpatial(attributes, "dilations", axes));
  ASSIGN_OR_RETURN(const std::string pads, attributes.String("pads", "VALID"));
  windows.stride = strides.value_or(Extents(axes, 1));
  windows.dilation = dilations.value_or(Extents(axes, 1));
  windows.pad_begin = windows.pad_end = Extents(axes, 0);
  if (pads != "SAME" && pads != "VALID") {
    return MakeError(label::model_malformed, "attribute pads is " + PrintableStart(pads));
  }
  windows.PadAutomatically(pads == "SAME" ? AutoPad::kSameUpper : AutoPad::kNone, dims);
  return windows;
}

absl::StatusOr<LayerWindows> ReadTransposedWindows(Attributes& attributes, std::span<const int64_t> dims,
                                                   const Extents& weight_kernel) {
  const size_t axes = dims.size();
  ASSIGN_OR_RETURN(Stated stated, ReadStated(attributes, axes, weight_kernel));
  LayerWindows& windows = stated.windows;
  ASSIGN_OR_RETURN(const auto added, ReadInts(attributes, "output_padding", axes, 0));
  ASSIGN_OR_RETURN(const auto wanted, ReadInts(attributes, "output_shape", axes, 1));
  windows.output_padding = added.value_or(Extents(axes, 0));
  Extents results = wanted.value_or(Extents());
  for (size_t i = 0; i < axes && !wanted.has_value(); ++i) results.push_back(dims[i] * windows.stride[i]);
  if (wanted.has_value() || stated.how() != AutoPad::kNone) windows.CutTo(results, stated.how(), dims);
  return std::move(windows);
}

}  // namespace tally::onnx
