// Labels of what an importer says of a model file, whatever its format.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(model, InvalidArgument, model_format, "the file is of no format that is imported");
TALLY_LABEL(model, InvalidArgument, model_malformed, "the model breaks the rules of its own format");
TALLY_LABEL(model, Unimplemented, model_unsupported_operator,
            "an operator, or its version, that is not imported");
TALLY_LABEL(model, Unimplemented, model_unsupported_attribute,
            "an attribute, or its value, that has no meaning here");
TALLY_LABEL(model, Unimplemented, model_unsupported_operand,
            "an operand that must be a constant is computed at run time");
TALLY_LABEL(model, Unimplemented, model_unsupported_output, "something reads a mask, indices or statistics");
TALLY_LABEL(model, Unimplemented, model_unsupported_type,
            "an element type, or a kind of tensor, that has no meaning here");
TALLY_LABEL(model, InvalidArgument, model_nan_weight, "a constant holds NaN or an infinity, as float32");
TALLY_LABEL(model, InvalidArgument, model_open_dimension,
            "the file leaves a dimension open that nothing fixes");
TALLY_LABEL(model, InvalidArgument, model_shape, "a shape contradicts another, or is too large");
TALLY_LABEL(model, InvalidArgument, model_name, "the name of an input or output is too long for a module");
TALLY_LABEL(model, ResourceExhausted, model_too_large,
            "too many values, or constants too large for the file's size");

// Labels of imports without calibration.
TALLY_LABEL(model, Unimplemented, model_inexact, "integers cannot give exactly what the model says");
TALLY_LABEL(model, Unimplemented, model_may_wrap,
            "a result may leave the integer type that the format gives it");
TALLY_LABEL(model, Unimplemented, model_needs_range,
            "an operator has no value for all that an input may hold: give the input a range");

}  // namespace tally::label
