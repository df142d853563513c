#pragma once

#include "ops/linear/sums_device.h"
