#pragma once

#include "ops/detection/ctc_device.h"
#include "ops/detection/nms_device.h"
#include "ops/detection/ranked_boxes_device.h"
#include "ops/detection/suppression_device.h"
