// For tests, many of which hold a reference against something.
#include <gtest/gtest.h>

#include "tools/precompiled/exact.h"
