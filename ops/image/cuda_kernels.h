#pragma once

#include "ops/image/image_device.h"
