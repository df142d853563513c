// Attributes of the comparison family.
#pragma once

#include "ops/attributes.h"
