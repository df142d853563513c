#pragma once

#include "ops/table/table_device.h"
