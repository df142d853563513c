// Attributes of the pooling family.
#pragma once

#include "ops/attributes.h"
