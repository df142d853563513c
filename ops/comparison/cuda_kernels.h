#pragma once

#include "ops/comparison/comparison_device.h"
