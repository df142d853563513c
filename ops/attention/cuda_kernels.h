#pragma once

#include "ops/attention/attention_device.h"
