// Attributes of the linear family.
#pragma once

#include "ops/attributes.h"
