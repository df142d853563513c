// Which refusals are this node's own, status 2 of the C interface, and say nothing about a model or an input.
#pragma once

#include "api/boundary.h"

namespace tally::cvm {

// Whether another node may accept what is refused here: a device is missing or failed, memory was short, or
// the caller gave no place for the result.
bool IsOfTheNode(const api::Failure& failure);

}  // namespace tally::cvm
