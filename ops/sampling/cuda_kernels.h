#pragma once

#include "ops/sampling/sampling_device.h"
