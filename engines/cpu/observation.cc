#include "engines/cpu/observation.h"

#include <algorithm>

#include "base/copy_elements.h"

namespace tally::cpu {

void Observation::After(const Frame& frame, size_t steps) {
  const auto& all = frame.program->shown;
  for (auto shown = std::ranges::lower_bound(all, steps, {}, &ShownValue::steps);
       shown != all.end() && shown->steps == steps; ++shown) {
    const auto& [at, id, type, value] = *shown;
    const Storage storage = type.storage();
    const uint8_t* bytes = frame.ConstAt(value.buffer);
    if (value.storage != storage) {
      bytes_.resize(static_cast<size_t>(type.size_bytes()));
      CopyElements(value.storage, bytes, storage, bytes_.data(), type.shape.num_elements());
      bytes = bytes_.data();
    }
    show_(path_, id, type, value.layout, {bytes, static_cast<size_t>(type.size_bytes())}, *caller_);
  }
}

}  // namespace tally::cpu
