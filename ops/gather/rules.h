// Gas and precision rules that the gather rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
