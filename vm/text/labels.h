// Labels of the assembler. A text that assembles may still be refused by the validator.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(text, InvalidArgument, text_character, "a character that starts no token");
TALLY_LABEL(text, InvalidArgument, text_string,
            "a string that does not end on its line, or has an unknown escape");
TALLY_LABEL(text, InvalidArgument, text_syntax, "another token belongs here");
TALLY_LABEL(text, InvalidArgument, text_order, "a statement stands behind one that it must precede");
TALLY_LABEL(text, InvalidArgument, text_number, "an integer is outside the range of its place");
TALLY_LABEL(text, InvalidArgument, text_limit, "more items than a module may have");
TALLY_LABEL(text, InvalidArgument, text_profile, "no profile has this name");
TALLY_LABEL(text, InvalidArgument, text_name, "a name is too long or has characters that cannot be printed");
TALLY_LABEL(text, InvalidArgument, text_shape, "a shape is outside the limits");
TALLY_LABEL(text, InvalidArgument, text_storage, "no storage has this name");
TALLY_LABEL(text, InvalidArgument, text_hex, "a byte is not two hexadecimal digits");
TALLY_LABEL(text, InvalidArgument, text_element_count,
            "a constant has too few or too many elements for its shape");
TALLY_LABEL(text, InvalidArgument, text_recipe,
            "no function of recipes has this name, or a digest is not 64 hexadecimal digits");
TALLY_LABEL(text, InvalidArgument, text_value_id, "a definition does not have the next value id");
TALLY_LABEL(text, InvalidArgument, text_operator, "no operator has this name");
TALLY_LABEL(text, InvalidArgument, text_result_count,
            "an instruction defines another number of values than its operator");
TALLY_LABEL(text, InvalidArgument, text_operand_count,
            "an operator with a fixed number of operands has another number");
TALLY_LABEL(text, InvalidArgument, text_attribute, "the operator has no attribute of this name");
TALLY_LABEL(text, InvalidArgument, text_attribute_repeated, "an attribute is given twice");
TALLY_LABEL(text, InvalidArgument, text_attribute_missing, "an attribute is not given");
TALLY_LABEL(text, InvalidArgument, text_attribute_value,
            "a flag or an enumeration has no value of this name");

}  // namespace tally::label
