// Gas and precision rules that the reduction rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
