// Attributes of the image family.
#pragma once

#include "ops/attributes.h"
