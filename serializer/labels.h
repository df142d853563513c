// Labels that the codec raises, besides those of base/labels.h.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(malformed, InvalidArgument, bad_magic, "the file does not start with the magic bytes");
TALLY_LABEL(malformed, InvalidArgument, bad_format_version, "the format version is unknown");
TALLY_LABEL(malformed, InvalidArgument, bad_profile, "the profile code is unknown");
TALLY_LABEL(malformed, InvalidArgument, bad_storage, "a constant's storage code is unknown");
TALLY_LABEL(malformed, InvalidArgument, bad_section,
            "another section is where one belongs, or a section is longer than its content");
TALLY_LABEL(malformed, InvalidArgument, bad_text_encoding,
            "a name is not valid UTF-8 or has control characters");
TALLY_LABEL(malformed, InvalidArgument, bad_flag, "a flag byte is neither 0 nor 1");
TALLY_LABEL(malformed, InvalidArgument, count_limit,
            "a count exceeds its limit or what the remaining bytes can hold");
TALLY_LABEL(malformed, InvalidArgument, unknown_opcode, "no operator has this code");
TALLY_LABEL(malformed, InvalidArgument, trailing_bytes, "bytes follow the last section or item");
TALLY_LABEL(malformed, InvalidArgument, bad_value_id, "a value id does not fit 32 bits");
TALLY_LABEL(malformed, InvalidArgument, bad_enum, "an enumeration has no value with this code");
TALLY_LABEL(malformed, InvalidArgument, cbor_head,
            "the head of an item is reserved, or of an indefinite length");
TALLY_LABEL(malformed, InvalidArgument, cbor_not_shortest, "the head of an item has a shorter encoding");
TALLY_LABEL(malformed, InvalidArgument, cbor_type,
            "another item, key or number of pairs is where one belongs");
TALLY_LABEL(malformed, InvalidArgument, tensor_header, "no tensor has the header that a digest is of");

TALLY_LABEL(file, ResourceExhausted, file_map, "a module does not fit the addresses of the process");

}  // namespace tally::label
