#pragma once

#include "ops/cuda/peak/peak_device.h"
