#pragma once

#include "ops/gather/gather_device.h"
