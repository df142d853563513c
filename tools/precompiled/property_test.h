// For tests of laws.
#include <rapidcheck.h>

#include "tools/precompiled/test.h"
