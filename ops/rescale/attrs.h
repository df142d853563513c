// Attributes of the rescale family.
#pragma once

#include "ops/attributes.h"
