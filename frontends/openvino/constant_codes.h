// Weights as NNCF compresses them: integers, converted to floats, less their zero points, times their scales.
// What comes out keeps the integers as its codes.
#pragma once

#include "frontends/graph/operand.h"

namespace tally::openvino {

// `floats`, the same numbers as `integers`, which are their codes where they fit weights of 8 bits.
frontend::Operand WithIntegersAsCodes(frontend::Operand floats, const frontend::Operand& integers);

// `result`, the constant x - c or x * c, with the codes that follow from those of x: c is one number or one
// for each entry of an axis, and whole steps or positive. Without codes where there are none such.
frontend::Operand WithCodesLess(frontend::Operand result, const frontend::Operand& x,
                                const frontend::Operand& c);
frontend::Operand WithCodesTimes(frontend::Operand result, const frontend::Operand& x,
                                 const frontend::Operand& c);

}  // namespace tally::openvino
