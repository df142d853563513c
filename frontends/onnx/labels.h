// Labels of both ONNX importers and of the exporter.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(model, ResourceExhausted, onnx_size, "the file is larger than protobuf can read (2 GiB)");
TALLY_LABEL(model, InvalidArgument, onnx_parse, "the bytes are not an ONNX protobuf");
TALLY_LABEL(model, InvalidArgument, onnx_malformed, "the model breaks ONNX's own rules");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_ir_version, "neither 3 to 13");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_opset, "the default operator set is none that is read");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_operator,
            "an operator, or its version, that is not imported");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_attribute,
            "an attribute, or its value, that has no meaning here");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_operand,
            "an operand that must be a constant is computed at run time");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_output, "something reads a mask, indices or statistics");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_type,
            "an element type, or a kind of tensor, that has no meaning here");
TALLY_LABEL(model, Unimplemented, onnx_external_data,
            "a tensor lies in another file that is not in the folder of the model");
TALLY_LABEL(model, InvalidArgument, onnx_nan_weight, "a constant holds NaN or an infinity, as float32");
TALLY_LABEL(model, InvalidArgument, onnx_open_dimension,
            "the file leaves a dimension open that nothing fixes");
TALLY_LABEL(model, InvalidArgument, onnx_shape, "a shape contradicts another, or is too large");
TALLY_LABEL(model, InvalidArgument, onnx_name, "the name of an input or output is too long for a module");
TALLY_LABEL(model, ResourceExhausted, onnx_too_large,
            "too many values, or constants too large for the file's size");

// Labels of the exact importer.
TALLY_LABEL(model, Unimplemented, onnx_inexact, "integers cannot give exactly what the model says");
TALLY_LABEL(model, Unimplemented, onnx_may_wrap, "a result may leave the integer type that ONNX gives it");
TALLY_LABEL(model, Unimplemented, onnx_needs_range,
            "an operator has no value for all that an input may hold: give the input a range");

// Labels of the exporter.
TALLY_LABEL(model, Unimplemented, onnx_export, "a module has instructions without an exact form in ONNX");

}  // namespace tally::label
