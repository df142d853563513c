// Labels of the operators that no constraint of one operator has. A constraint's, conv2d_c3, is in
// ops/<family>/labels.h, which the build makes from ops/<family>/spec.md.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(invalid, InvalidArgument, recipe_fields, "a field of a recipe is outside its range");
TALLY_LABEL(invalid, InvalidArgument, operand_count, "the instruction has too few or too many operands");
TALLY_LABEL(invalid, InvalidArgument, attribute_count, "the instruction has too few or too many attributes");
TALLY_LABEL(invalid, InvalidArgument, attribute_length, "a list attribute is too short or too long");
TALLY_LABEL(invalid, InvalidArgument, attribute_range, "an attribute is outside its range");
TALLY_LABEL(invalid, InvalidArgument, value_range, "a result can leave the tensor limit of the profile");
TALLY_LABEL(invalid, InvalidArgument, accumulator_range, "a partial sum can leave the accumulator limit");
TALLY_LABEL(invalid, InvalidArgument, function_reference,
            "an instruction names a function whose index is not higher than its own");

// A reason that is this implementation's and not the module's (docs/spec/recipes.md#computing-an-entry).
TALLY_LABEL(fault, Unimplemented, recipe_undecided,
            "an entry of a recipe is not decided by the precision that is tried");

TALLY_LABEL(request, InvalidArgument, lowering_unknown, "no lowering has this name");
TALLY_LABEL(request, InvalidArgument, lowering_operands,
            "operands or attributes of a lowering have no meaning");

}  // namespace tally::label
