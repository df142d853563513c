#pragma once

#include "ops/linear/sums_cuda.h"
