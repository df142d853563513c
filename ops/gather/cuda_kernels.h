#pragma once

#include "ops/gather/compact_device.h"
#include "ops/gather/gather_device.h"
#include "ops/gather/gather_tree_device.h"
#include "ops/gather/scatter_device.h"
