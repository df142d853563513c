#pragma once

#include "ops/elementwise/elementwise_device.h"
