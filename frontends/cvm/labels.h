// Labels of the files of cvm-runtime, besides those of vm/labels.h and the operators' constraints.
// docs/formats/cvm.md says what to do about each.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(model, InvalidArgument, cvm_json,
            "the graph is not JSON, has a key twice, a fraction, or too many bytes");
TALLY_LABEL(model, InvalidArgument, cvm_key, "a field is missing, unknown or has another type");
TALLY_LABEL(model, Unimplemented, cvm_version, "neither cvm_1.0.0 nor cvm_1.1.0");
TALLY_LABEL(model, InvalidArgument, cvm_count,
            "a list does not have one item for each node or value, or has too many");
TALLY_LABEL(model, InvalidArgument, cvm_entry,
            "a node reads a value that no earlier node has, or a head one that nobody has");
TALLY_LABEL(model, InvalidArgument, cvm_index, "arg_nodes or node_row_ptr contradict the nodes");
TALLY_LABEL(model, InvalidArgument, cvm_name,
            "a variable's name is empty or stands twice, or none is `data`");
TALLY_LABEL(model, InvalidArgument, cvm_operator, "an operator that CVM does not have");
TALLY_LABEL(model, InvalidArgument, cvm_operands,
            "a node has too few or too many inputs, or they contradict its attributes");
TALLY_LABEL(model, InvalidArgument, cvm_attribute, "an attribute is unknown, missing, or has no meaning");
TALLY_LABEL(model, InvalidArgument, cvm_reshape, "a target of reshape does not suit its operand");
TALLY_LABEL(model, InvalidArgument, cvm_declared_precision,
            "a declared precision is not one of the format, or not the inferred one");
TALLY_LABEL(model, InvalidArgument, cvm_declared_shape, "a declared shape is not the inferred one");
TALLY_LABEL(model, InvalidArgument, cvm_storage, "values that are alive together share a buffer");
TALLY_LABEL(model, InvalidArgument, cvm_postprocess,
            "the heads do not suit the postprocess, or its name is too long");
TALLY_LABEL(model, InvalidArgument, cvm_params, "the params end early or late, or a field has another value");
TALLY_LABEL(model, InvalidArgument, cvm_param_name,
            "an array is not a weight of the graph, occurs twice, or a weight has no array");
TALLY_LABEL(model, InvalidArgument, cvm_param_shape,
            "an array does not have the shape that the graph declares");
TALLY_LABEL(model, InvalidArgument, cvm_param_value, "an element exceeds the declared precision");
TALLY_LABEL(model, InvalidArgument, cvm_export, "the module has no form as a CVM model");

}  // namespace tally::label
