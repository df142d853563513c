#pragma once

#include "ops/normalization/normalization_device.h"
