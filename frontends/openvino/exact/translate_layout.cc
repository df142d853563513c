// Operations that move elements, and shapes.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/openvino/exact/translators.h"

namespace tally::openvino {
namespace {

using List = std::vector<int64_t>;

// Numbers of a mask, one for each entry of the lists that it goes with.
absl::StatusOr<List> Mask(Translator& t, const char* name, size_t count) {
  ASSIGN_OR_RETURN(List mask, t.node().Ints(name));
  mask.resize(count, 0);
  return mask;
}

}  // namespace

absl::Status TranslateConcat(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Int("axis"));
  t.Add("Concat", t.file().inputs, t.Out(0)).Set("axis", axis);
  return absl::OkStatus();
}

absl::Status TranslateReshape(Translator& t) {
  ASSIGN_OR_RETURN(const bool copies, t.node().Flag("special_zero"));
  t.Add("Reshape", {t.In(0), t.In(1)}, t.Out(0)).Set("allowzero", copies ? 0 : 1);
  return absl::OkStatus();
}

absl::Status TranslateTranspose(Translator& t) {
  ASSIGN_OR_RETURN(const size_t rank, t.RankOf(0));
  List order;
  for (size_t i = rank; i-- > 0;) order.push_back(static_cast<int64_t>(i));
  ASSIGN_OR_RETURN(const auto listed, t.node().InputOrEmpty(1));
  if (quant::NumElements(listed.shape()) > 0) {
    ASSIGN_OR_RETURN(order, t.node().List(1));
  }
  t.Add("Transpose", {t.In(0)}, t.Out(0)).Set("perm", order);
  return absl::OkStatus();
}

absl::Status TranslateShapeOf(Translator& t) {
  ASSIGN_OR_RETURN(const std::string type, t.node().Word("output_type", "i64"));
  const auto shape = t.Add("Shape", {t.In(0)}, type == "i32" ? "" : t.Out(0));
  if (type == "i32") t.Add("Cast", {shape}, t.Out(0)).Set("to", ::onnx::TensorProto::INT32);
  return absl::OkStatus();
}

absl::Status TranslateBroadcast(Translator& t) {
  ASSIGN_OR_RETURN(const std::string mode, t.node().Word("mode", "numpy"));
  if (mode != "numpy" && mode != "bidirectional") return Unsupported("mode " + PrintableStart(mode));
  t.Add("Expand", {t.In(0), t.In(1)}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslateGather(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Number(2));
  ASSIGN_OR_RETURN(const int64_t batch_dims, t.node().Int("batch_dims", 0));
  if (batch_dims != 0) return Unsupported("batch_dims other than 0");
  t.Add("Gather", {t.In(0), t.In(1)}, t.Out(0)).Set("axis", axis);
  return absl::OkStatus();
}

absl::Status TranslateGatherElements(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Int("axis"));
  t.Add("GatherElements", {t.In(0), t.In(1)}, t.Out(0)).Set("axis", axis);
  return absl::OkStatus();
}

absl::Status TranslateGatherND(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t batch_dims, t.node().Int("batch_dims", 0));
  if (batch_dims > 1 && t.node().opset() < 8) return Unsupported("several axes of a batch, which become one");
  t.Add("GatherND", {t.In(0), t.In(1)}, t.Out(0)).Set("batch_dims", batch_dims);
  return absl::OkStatus();
}

absl::Status TranslateScatterElementsUpdate(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Number(3));
  t.Add("ScatterElements", {t.In(0), t.In(1), t.In(2)}, t.Out(0)).Set("axis", axis);
  return absl::OkStatus();
}

absl::Status TranslateScatterNDUpdate(Translator& t) {
  t.Add("ScatterND", {t.In(0), t.In(1), t.In(2)}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslatePad(Translator& t) {
  ASSIGN_OR_RETURN(const std::string mode, t.node().Word("pad_mode"));
  ASSIGN_OR_RETURN(List pads, t.node().List(1));
  ASSIGN_OR_RETURN(const List after, t.node().List(2));
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    return Unsupported("pad_mode " + PrintableStart(mode));
  pads.insert(pads.end(), after.begin(), after.end());
  t.Add("Pad", {t.In(0), t.List(pads), t.In(3)}, t.Out(0)).Set("mode", mode);
  return absl::OkStatus();
}

absl::Status TranslateSplit(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Number(1));
  ASSIGN_OR_RETURN(const int64_t parts, t.node().Int("num_splits"));
  if (parts != std::ssize(t.file().outputs)) return Malformed("num_splits is not that of its outputs");
  t.AddWithAllOutputs("Split", {t.In(0)}).Set("axis", axis).Set("num_outputs", parts);
  return absl::OkStatus();
}

absl::Status TranslateVariadicSplit(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Number(1));
  ASSIGN_OR_RETURN(List sizes, t.node().List(2));
  ASSIGN_OR_RETURN(const size_t rank, t.RankOf(0));
  for (int64_t& size : sizes) {  // -1 is what the port says
    if (size != -1) continue;
    const auto& dims = t.file().outputs[static_cast<size_t>(&size - sizes.data())].dims;
    const int64_t from_front = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (from_front < 0 || from_front >= std::ssize(dims)) return Malformed("its axis is out of range");
    size = dims[static_cast<size_t>(from_front)];
  }
  t.AddWithAllOutputs("Split", {t.In(0), t.List(sizes)}).Set("axis", axis);
  return absl::OkStatus();
}

// A slice of the axes that are named, then those that are new or gone.
absl::Status TranslateStridedSlice(Translator& t) {
  ASSIGN_OR_RETURN(const List begin, t.node().List(1));
  ASSIGN_OR_RETURN(const List end, t.node().List(2));
  List step(begin.size(), 1);
  if (!t.In(3).empty()) {
    ASSIGN_OR_RETURN(step, t.node().List(3));
  }
  if (end.size() != begin.size() || step.size() != begin.size())
    return Malformed("its lists have other lengths");
  ASSIGN_OR_RETURN(const List no_begin, Mask(t, "begin_mask", begin.size()));
  ASSIGN_OR_RETURN(const List no_end, Mask(t, "end_mask", begin.size()));
  ASSIGN_OR_RETURN(const List is_new, Mask(t, "new_axis_mask", begin.size()));
  ASSIGN_OR_RETURN(const List shrinks, Mask(t, "shrink_axis_mask", begin.size()));
  ASSIGN_OR_RETURN(const List ellipsis, Mask(t, "ellipsis_mask", begin.size()));
  ASSIGN_OR_RETURN(const size_t rank, t.RankOf(0));
  int64_t named = 0;
  for (size_t i = 0; i < begin.size(); ++i) named += is_new[i] != 0 || ellipsis[i] != 0 ? 0 : 1;
  if (named > static_cast<int64_t>(rank) || std::ranges::count(ellipsis, 1) > 1)
    return Malformed("it names more axes than there are, or has two ellipses");
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  List starts, ends, axes, steps, gone, added;
  int64_t axis = 0, result = 0;  // places in x, and in the result before axes are gone
  for (size_t i = 0; i < begin.size(); ++i) {
    if (ellipsis[i] != 0) {
      axis += static_cast<int64_t>(rank) - named;
      result += static_cast<int64_t>(rank) - named;
      continue;
    }
    if (is_new[i] != 0) {
      added.push_back(result++);
      continue;
    }
    if (step[i] == 0) return Malformed("a step is 0");
    const bool back = step[i] < 0;
    const int64_t first = no_begin[i] != 0 ? (back ? kFar : 0) : begin[i];
    starts.push_back(first);
    axes.push_back(axis++);
    if (shrinks[i] != 0) {
      gone.push_back(axes.back());
      ends.push_back(first == -1 || first == kFar ? kFar : first + 1);
      steps.push_back(1);
      continue;
    }
    ends.push_back(no_end[i] != 0 ? (back ? -kFar : kFar) : end[i]);
    steps.push_back(step[i]);
    ++result;
  }
  std::string y = t.In(0);
  if (!axes.empty()) y = t.Add("Slice", {y, t.List(starts), t.List(ends), t.List(axes), t.List(steps)});
  if (!gone.empty()) y = t.Add("Squeeze", {y, t.List(gone)});
  if (!added.empty()) y = t.Add("Unsqueeze", {y, t.List(added)});
  t.Add("Identity", {y}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslateTopK(Translator& t) {
  ASSIGN_OR_RETURN(const int64_t k, t.node().Number(1));
  ASSIGN_OR_RETURN(const int64_t axis, t.node().Int("axis"));
  ASSIGN_OR_RETURN(const std::string mode, t.node().Word("mode"));
  ASSIGN_OR_RETURN(const std::string sort, t.node().Word("sort"));
  if (sort == "index" && k > 1) return Unsupported("results in the order of their places (sort = index)");
  t.AddWithAllOutputs("TopK", {t.In(0), t.List({k})}).Set("axis", axis).Set("largest", mode == "max" ? 1 : 0);
  return absl::OkStatus();
}

}  // namespace tally::openvino
