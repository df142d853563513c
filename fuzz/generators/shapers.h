// The shapers by groups of families: null for operators that their row describes well enough.
#pragma once

#include "fuzz/generators/shaper.h"

namespace tally {

Shaper FindComparisonShaper(Opcode op);
Shaper FindControlShaper(Opcode op);
Shaper FindElementwiseShaper(Opcode op);
Shaper FindImageShaper(Opcode op);  // pooling, image, detection
Shaper FindLayoutShaper(Opcode op);
Shaper FindLinearShaper(Opcode op);
Shaper FindLookupShaper(Opcode op);  // gather, table
Shaper FindNormalizationShaper(Opcode op);
Shaper FindReductionShaper(Opcode op);
Shaper FindRescaleShaper(Opcode op);

// A shape that broadcasts with `shape`: some leading dims dropped, some dims 1.
Shape BroadcastPartner(ShapeContext& c, const Shape& shape);

// Two operands that broadcast, in either order.
Attempt ShapeBroadcast(ShapeContext& c);

}  // namespace tally
