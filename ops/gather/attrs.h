// Attributes of the gather family.
#pragma once

#include "ops/attributes.h"
