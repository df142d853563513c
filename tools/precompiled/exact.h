// For what calculates in Z: the references above all.
#include <boost/multiprecision/cpp_int.hpp>

#include "tools/precompiled/library.h"
