#pragma once

#include "ops/reduction/reduction_device.h"
