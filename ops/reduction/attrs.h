// Attributes of the reduction family.
#pragma once

#include "ops/attributes.h"
