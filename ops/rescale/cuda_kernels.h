#pragma once

#include "ops/rescale/rescale_device.h"
