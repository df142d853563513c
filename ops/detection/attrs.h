// Attributes of the detection family.
#pragma once

#include "ops/attributes.h"
