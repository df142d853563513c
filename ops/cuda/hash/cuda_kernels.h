#pragma once

#include "ops/cuda/hash/merkle_device.h"
