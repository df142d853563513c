#pragma once

#include "ops/layout/layout_device.h"
