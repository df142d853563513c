// Attributes of the table family.
#pragma once

#include "ops/attributes.h"
