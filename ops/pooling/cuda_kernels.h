#pragma once

#include "ops/pooling/pooling_device.h"
