#pragma once

#include "ops/linear/deformable_conv2d_device.h"
#include "ops/linear/sums_device.h"
