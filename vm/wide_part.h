// The wide instruction among those that are judged with one element (docs/spec/trace.md#values): where the
// element reads too much to be shown, that part of it is judged by its expansion.
#pragma once

#include <cstdint>
#include <optional>

#include "vm/committed_values.h"
#include "vm/referee.h"
#include "vm/valid_module.h"

namespace tally {

// Whether an instruction that runs no functions computes the value, and reads many elements for one.
bool IsWide(const ValidModule& module, const ValuePlace& place);

struct WidePart {
  ValuePlace place;
  int64_t element = 0;

  friend bool operator==(const WidePart&, const WidePart&) = default;
};

// The element of a wide instruction that is computed with an element of a committed value: that element, or
// one of a value that is folded into it. Nothing where there is none. Which one it is, shapes, attributes and
// the element say.
std::optional<WidePart> WidePartOf(const ValidModule& module, const CommittedValues& committed,
                                   const ValuePlace& place, int64_t element);

}  // namespace tally
