// Labels that only ONNX's importers and its exporter have.
#pragma once

#include "base/error.h"
#include "frontends/graph/labels.h"

namespace tally::label {

TALLY_LABEL(model, ResourceExhausted, onnx_size, "the file is larger than protobuf can read (2 GiB)");
TALLY_LABEL(model, InvalidArgument, onnx_parse, "the bytes are not an ONNX protobuf");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_ir_version, "neither 3 to 13");
TALLY_LABEL(model, Unimplemented, onnx_unsupported_opset,
            "the default operator set is older or newer than those that are read");
TALLY_LABEL(model, Unimplemented, onnx_external_data,
            "a tensor lies in another file that is not in the folder of the model");

// Labels of the exporter.
TALLY_LABEL(model, Unimplemented, onnx_export, "a module has instructions without an exact form in ONNX");

}  // namespace tally::label
