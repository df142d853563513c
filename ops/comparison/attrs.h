// Attributes of the comparison family: none.
#pragma once

#include "ops/attributes.h"
