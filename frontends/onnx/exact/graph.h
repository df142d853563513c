// ONNX graphs over integers, imported without calibration: what they compute in Z, or a refusal.
//
//   Composition c(Profile::kCore);
//   ASSIGN_OR_RETURN(const ExactValues results, ImportExactly(model.graph(), opset, {x}, c));
//
// Tensors of floats take part as fixed point (exact/fixed_point.h). A function that is not exact in it (an
// exponential, say) is refused: quant/ lowers that, with a bound. ONNX's integers wrap; here a value that
// could leave its type is refused (model_may_wrap), so that nothing differs.
//
// Shapes are static here. A result whose size depends on the data (NonZero, Unique, NonMaxSuppression, ...)
// comes padded to its largest size, with a count: `count->number` is a value of the composition that says how
// many slices along `count->axis` are meant, and what follows them means nothing. Where the count is
// the same for all data the result is cut to it. A node that reads a tensor with a count is refused, because
// it would read the padding too.
//
// Bodies of If, Loop and Scan become instructions of the entry (exact/control.cc): a known branch
// alone, or both and a select; each iteration by itself, with a known index.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// The values of an integer type as far as a tensor holds them; those of a float do not wrap.
Interval IntervalOfType(int data_type);

// The interval of each input of the composition that may be narrowed; nothing where the user has said what it
// holds.
using InputBounds = std::vector<std::optional<Interval>>;

// Writes the nodes of `graph` into `c`. `inputs` are those of the graph that are no initializers, in order,
// each nothing for an empty tensor (an empty list of axes, say); a constant of `c` among them serves where an
// operator needs one. Time and memory grow with the graph, an iteration counting as so many nodes, up to a
// bound. Where indices come from inputs of `bounds` that hold more than the places of the axis, these are
// narrowed there: if any is, what was written is void and has to be written anew.
// Errors: model_unsupported_operator, model_too_large, model_needs_range, those of attributes.h and
// fixed_point.h, model_may_wrap, and what refuses an instruction; the message names the node.
absl::StatusOr<ExactValues> ImportExactly(const ::onnx::GraphProto& graph, int64_t opset,
                                          const std::vector<MaybeExactValue>& inputs, Composition& c,
                                          InputBounds* bounds = nullptr);

}  // namespace tally::onnx
