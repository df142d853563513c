#pragma once

#include "ops/cuda/prefix_sums.h"
#include "ops/reduction/reduction_device.h"
