// Attributes of the elementwise family: none so far.
#pragma once

#include "ops/attributes.h"
