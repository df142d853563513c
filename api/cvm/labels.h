// Labels of the interface of cvm-runtime, besides those of api/labels.h.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(request, InvalidArgument, cvm_device, "no engine has this number");
TALLY_LABEL(request, InvalidArgument, cvm_data_length, "a length is negative, or not that of the input");
TALLY_LABEL(model, ResourceExhausted, cvm_storage_limit,
            "the buffers take more bytes than cvm-runtime allows");

}  // namespace tally::label
