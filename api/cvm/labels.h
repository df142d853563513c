// Labels of the C interface.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(request, InvalidArgument, cvm_null, "a pointer that may not be null is null");
TALLY_LABEL(request, InvalidArgument, cvm_device, "no engine has this number");
TALLY_LABEL(request, InvalidArgument, cvm_data_length, "a length is negative, or not that of the input");
TALLY_LABEL(model, ResourceExhausted, cvm_storage_limit,
            "the buffers take more bytes than cvm-runtime allows");
TALLY_LABEL(fault, ResourceExhausted, cvm_memory, "this machine has too little memory");
TALLY_LABEL(fault, Internal, cvm_exception, "a fault of the library");

}  // namespace tally::label
