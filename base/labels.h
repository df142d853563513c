// Labels that the base library raises.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(malformed, InvalidArgument, unexpected_end, "the bytes end inside a field");
TALLY_LABEL(malformed, InvalidArgument, varint_not_minimal, "a varint has a shorter encoding");
TALLY_LABEL(malformed, InvalidArgument, varint_too_long, "a varint does not fit 64 bits");
TALLY_LABEL(malformed, InvalidArgument, nonzero_padding, "a padding byte is not zero");
TALLY_LABEL(malformed, InvalidArgument, shape_rank, "more than 8 dimensions");
TALLY_LABEL(malformed, InvalidArgument, shape_dim, "a dimension outside [1, 2^31 - 1]");
TALLY_LABEL(malformed, InvalidArgument, shape_elements, "more than 2^36 elements");

TALLY_LABEL(file, NotFound, file_open, "a file to read is missing, not readable or no regular file");
TALLY_LABEL(file, ResourceExhausted, file_size, "a file to read is larger than its reader allows");
TALLY_LABEL(file, DataLoss, file_read, "the system fails to read a file");
TALLY_LABEL(file, FailedPrecondition, file_write, "a file cannot be written");

TALLY_LABEL(file, InvalidArgument, npy_magic, "it is not an .npy file");
TALLY_LABEL(file, InvalidArgument, npy_version, "neither 1.0 nor 2.0");
TALLY_LABEL(file, InvalidArgument, npy_header, "the header is not the dictionary that the format prescribes");
TALLY_LABEL(file, InvalidArgument, npy_type, "an element type or byte order that is not read");
TALLY_LABEL(file, InvalidArgument, npy_order, "Fortran order");
TALLY_LABEL(file, InvalidArgument, npy_shape, "rank above 32");
TALLY_LABEL(file, InvalidArgument, npy_size, "data bytes disagree with type and shape");
TALLY_LABEL(file, InvalidArgument, npy_truncated, "the file ends early");

TALLY_LABEL(request, InvalidArgument, tensor_size, "another number of values than the shape has elements");
TALLY_LABEL(request, InvalidArgument, tensor_value, "a value does not fit the storage");

}  // namespace tally::label
