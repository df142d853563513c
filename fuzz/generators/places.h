// Where in memory values are that operators read and write: engines read parts of larger values, other shapes
// and layouts of them, and write into larger ones, where the bytes allow it.
#pragma once

#include "fuzz/generators/entropy_source.h"
#include "fuzz/generators/module_draft.h"
#include "fuzz/generators/network.h"

namespace tally {

// A new value of `type` that comes from a parameter: the parameter itself, a part of one, one of another
// shape, what a step has computed from one, an image whose channels are side by side; now and then from a
// constant. `draft` accepts parameters.
DraftId AddInput(EntropySource& e, ModuleDraft& draft, const TensorType& type, Inputs inputs);

// Readers of `y` for which the step that computes `y` may write it elsewhere: after other rows of something
// larger, or as what is a result in another layout. Nothing where there is no room.
void Place(EntropySource& e, ModuleDraft& draft, DraftId y);

}  // namespace tally
