#pragma once

#include "ops/recurrent/recurrent_device.h"
