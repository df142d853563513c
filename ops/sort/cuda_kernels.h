#pragma once

#include "ops/sort/merge_device.h"
#include "ops/sort/sort_device.h"
#include "ops/sort/unique_device.h"
