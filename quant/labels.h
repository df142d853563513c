// Labels of the quantizer: of float graphs, of their calibration and of their lowering to modules.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(model, InvalidArgument, graph_name, "names are non-empty, printable and differ");
TALLY_LABEL(model, InvalidArgument, graph_producer, "a value is an input or the result of one node");
TALLY_LABEL(model, InvalidArgument, graph_order, "operands exist and are produced before they are used");
TALLY_LABEL(model, InvalidArgument, graph_outputs, "there is an output, and outputs are values of the graph");
TALLY_LABEL(model, InvalidArgument, graph_type, "a result's recorded type is the inferred one");
TALLY_LABEL(model, ResourceExhausted, graph_values, "the graph has too many values");
TALLY_LABEL(model, ResourceExhausted, graph_size, "a tensor has too many elements");
TALLY_LABEL(model, InvalidArgument, graph_rank, "a tensor has too many dimensions");
TALLY_LABEL(model, InvalidArgument, graph_dimension, "a dimension is below 1");
TALLY_LABEL(model, InvalidArgument, graph_operands, "an operator has another number of operands");
TALLY_LABEL(model, InvalidArgument, graph_element_type,
            "an operand has another element type than its operator reads");
TALLY_LABEL(model, InvalidArgument, graph_shape, "operand shapes do not fit each other or the operator");
TALLY_LABEL(model, InvalidArgument, graph_attribute,
            "an attribute is outside its range or contradicts an operand");
TALLY_LABEL(model, InvalidArgument, graph_constant_operand, "an operand that must be a constant is computed");
TALLY_LABEL(model, InvalidArgument, graph_constant_data,
            "a constant's elements do not fit its type, or are not finite");
TALLY_LABEL(request, InvalidArgument, graph_run_inputs, "samples do not fit the inputs of the graph");

TALLY_LABEL(model, InvalidArgument, fold_batch_norm_variance, "variance + epsilon is not positive");
TALLY_LABEL(model, InvalidArgument, fold_batch_norm_overflow, "a folded weight or bias does not fit float32");

TALLY_LABEL(request, InvalidArgument, pass_unknown, "no pass has that name");

TALLY_LABEL(model, InvalidArgument, calibration_json,
            "a calibration file is not JSON, or larger than its reader allows");
TALLY_LABEL(model, InvalidArgument, calibration_format, "a calibration file has other members");
TALLY_LABEL(model, InvalidArgument, calibration_range, "a minimum is above its maximum");
TALLY_LABEL(model, InvalidArgument, calibration_histogram,
            "a histogram is of no value, or not of the elements of its value");
TALLY_LABEL(model, InvalidArgument, calibration_means, "there is another number of means than of channels");
TALLY_LABEL(model, InvalidArgument, calibration_exponents,
            "channels that have no scales of their own are to be divided, or not exactly");
TALLY_LABEL(model, InvalidArgument, calibration_missing, "the calibration has no range for a value");
TALLY_LABEL(model, InvalidArgument, calibration_no_samples, "there is no sample to calibrate with");
TALLY_LABEL(model, InvalidArgument, calibration_not_finite,
            "a value of some sample holds NaN or an infinity");

TALLY_LABEL(request, InvalidArgument, accuracy_module,
            "a module is not one of the network that it is compared with");

TALLY_LABEL(model, InvalidArgument, lower_gain, "no integer multiplier stands for a gain");
TALLY_LABEL(model, InvalidArgument, lower_input,
            "a format is of an input that the network does not have, or cannot be that of an input");
TALLY_LABEL(model, ResourceExhausted, lower_size, "a network has more nodes than a module has instructions");
TALLY_LABEL(model, InvalidArgument, lower_shape, "a shape exceeds the limits of the VM");
TALLY_LABEL(model, Unimplemented, lower_unsupported, "the VM has no form for what the graph says");

}  // namespace tally::label
