// Attributes of the layout family.
#pragma once

#include "ops/attributes.h"
