// Labels that all C interfaces share.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(request, InvalidArgument, api_null, "a pointer that may not be null is null");
TALLY_LABEL(request, InvalidArgument, api_handle, "a handle belongs to no open object of its kind");
TALLY_LABEL(request, InvalidArgument, api_struct,
            "a struct has a size that no version gave it, or fields that this one does not know");
TALLY_LABEL(request, InvalidArgument, api_option, "an option is outside its range");
TALLY_LABEL(request, InvalidArgument, api_index, "no engine, parameter or result has this index");
TALLY_LABEL(request, InvalidArgument, api_tensor,
            "storage, shape, strides or memory of a tensor of the caller do not belong together");
TALLY_LABEL(request, InvalidArgument, api_overlap, "the memory of a result is that of another tensor too");
TALLY_LABEL(request, OutOfRange, api_buffer, "a text does not fit the caller's memory");
TALLY_LABEL(request, FailedPrecondition, api_forked, "a plan was made by a process before it forked");
TALLY_LABEL(request, ResourceExhausted, api_plan_memory,
            "a plan would need more memory than its maker allows");
TALLY_LABEL(fault, ResourceExhausted, api_memory, "this machine has too little memory");
TALLY_LABEL(fault, Internal, api_exception, "a fault of the library");

}  // namespace tally::label
