#include <array>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "ops/linear/labels.h"
#include "ops/linear/linear_bounds.h"
#include "ops/linear/rules.h"

namespace tally {
namespace {

absl::StatusOr<Windows> CheckedWindows(const InferContext& c, const ConvTransposeAttrs& attrs) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (x.rank() < 3 || x.rank() > 2 + kMaxSpatialAxes || w.rank() != x.rank()) {  // conv_transpose_c1
    return MakeError(label::conv_transpose_c1, absl::StrCat("x ", x.ToString(), " and w ", w.ToString(),
                                                            " do not both have 1, 2 or 3 spatial axes"));
  }
  const size_t axes = static_cast<size_t>(x.rank()) - 2;
  if (!HasWindowsOf(attrs, axes) || attrs.output_padding.size() != axes) {  // conv_transpose_c2
    return MakeError(label::conv_transpose_c2,
                     absl::StrCat("lists without an entry for each of ", axes, " spatial axes"));
  }
  if (x[1] % attrs.groups != 0) {  // conv_transpose_c3
    return MakeError(label::conv_transpose_c3,
                     absl::StrCat(attrs.groups, " groups do not divide ", x[1], " channels"));
  }
  if (w[0] != x[1]) {  // conv_transpose_c4
    return MakeError(label::conv_transpose_c4,
                     absl::StrCat("weight shape ", w.ToString(), " does not begin with ", x[1], " channels"));
  }
  return WindowsOf(attrs, w.dims().subspan(2), x.rank());
}

absl::StatusOr<Dims> ResultDims(const InferContext& c, const ConvTransposeAttrs& attrs,
                                const Windows& windows) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  Dims dims = {x[0], w[1] * attrs.groups};
  for (int axis = 2; axis < x.rank(); ++axis) {
    const Window& window = windows[axis];
    dims.push_back((x[axis] - 1) * window.stride + window.extent() - window.pad_begin - window.pad_end +
                   attrs.output_padding[axis - 2]);
    if (dims.back() < 1) {  // conv_transpose_c5
      return MakeError(label::conv_transpose_c5, absl::StrCat("nothing is left of axis ", axis));
    }
  }
  if (c.num_operands() == 3 && (c.shape(2).rank() != 1 || c.shape(2)[0] != dims[1])) {  // conv_transpose_c6
    return MakeError(label::conv_transpose_c6,
                     absl::StrCat("bias shape ", c.shape(2).ToString(), " is not [", dims[1], "]"));
  }
  return dims;
}

// Two taps of an axis meet in one result iff they are this many taps, or a multiple of it, apart.
int64_t Period(const Window& w) { return w.stride / std::gcd(w.stride, w.dilation); }

// Positions of a kernel in classes: taps of one class meet in a result, taps of two never do.
struct TapClasses {
  std::vector<int64_t> class_of;  // by row-major position
  int64_t count = 1;
};

TapClasses ClassifyTaps(const Windows& windows, const Shape& w) {
  TapClasses classes = {{0}};
  for (int axis = 2; axis < w.rank(); ++axis) {
    const int64_t period = std::min(Period(windows[axis]), w[axis]);
    std::vector<int64_t> finer;
    finer.reserve(classes.class_of.size() * static_cast<size_t>(w[axis]));
    for (const int64_t outer : classes.class_of) {
      for (int64_t k = 0; k < w[axis]; ++k) finer.push_back(outer * period + k % period);
    }
    classes.class_of = std::move(finer);
    classes.count *= period;
  }
  return classes;
}

// Constant w [C, OC / groups, k..]: each output channel has a sum for each class of taps.
void AddConstant(const TensorView& w, const Windows& windows, const ConvTransposeAttrs& attrs,
                 const WideInterval& x, ChannelHull& hull) {
  const TapClasses classes = ClassifyTaps(windows, w.shape);
  const int64_t IC = w.shape[0] / attrs.groups, OPG = w.shape[1];
  int64_t next = 0;  // element of w
  for (int64_t group = 0; group < attrs.groups; ++group) {
    std::vector<SignedSum> sums(static_cast<size_t>(OPG * classes.count));
    for (int64_t ic = 0; ic < IC; ++ic) {
      for (int64_t oc = 0; oc < OPG; ++oc) {
        for (const int64_t k : classes.class_of) {
          sums[oc * classes.count + k].Add(Int128{w.at(next++)} - attrs.zero_w);
        }
      }
    }
    for (int64_t i = 0; i < OPG * classes.count; ++i) {
      const WideInterval bounds = sums[i].Times(x);
      hull.Add(group * OPG + i / classes.count, bounds, bounds);
    }
  }
}

}  // namespace

absl::Status InferConvTranspose(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  ASSIGN_OR_RETURN(const Windows windows, CheckedWindows(c, attrs));
  ASSIGN_OR_RETURN(const Dims dims, ResultDims(c, attrs, windows));
  RETURN_IF_ERROR(CheckZero(c, 0, attrs.zero_x, label::conv_transpose_c7));
  RETURN_IF_ERROR(CheckZero(c, 1, attrs.zero_w, label::conv_transpose_c7));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  // At the ends of an axis, and where taps leave gaps, terms are missing.
  const WideInterval x =
      (WideInterval(c.interval(0)) - WideInterval(attrs.zero_x, attrs.zero_x)).Hull({0, 0});
  ChannelHull hull(c, c.num_operands() == 3 ? 2 : -1);
  if (const TensorView* weights = c.constant(1)) {
    AddConstant(*weights, windows, attrs, x, hull);
  } else {
    Int128 terms = c.shape(1)[0] / attrs.groups;
    for (int axis = 2; axis < c.shape(1).rank(); ++axis) {
      terms = SatMul(terms, CeilDiv(c.shape(1)[axis], Period(windows[axis])));
    }
    const WideInterval w = WideInterval(c.interval(1)) - WideInterval(attrs.zero_w, attrs.zero_w);
    const WideInterval bounds = x * w * WideInterval(terms, terms);
    hull.AddAll(bounds, bounds);
  }
  return hull.Finish(c, shape, out);
}

WideGas GasConvTranspose(const GasContext& c) {
  const Shape &w = c.operands[1].shape, &y = c.results[0].shape;
  const int64_t groups = c.attrs<ConvTransposeAttrs>().groups;
  return GasOfGemm(c, {.rows = y.num_elements() / y[1],
                       .lines = y.num_elements() / y[1] / y[y.rank() - 1],
                       .columns = y[1],
                       .groups = groups,
                       .terms = w.num_elements() / w[1] / groups});
}

}  // namespace tally
