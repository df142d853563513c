#pragma once

#include "ops/linear/depthwise_device.h"
#include "ops/linear/long_sums_device.h"
#include "ops/linear/sums_by_dots_device.h"
#include "ops/linear/sums_of_warpgroups_device.h"
#include "ops/linear/sums_of_warps_device.h"
