#pragma once

#include "ops/pooling/pooling_device.h"
#include "ops/pooling/roi_device.h"
