#include "vm/module.h"

#include <algorithm>

namespace tally {

bool operator==(const Module& a, const Module& b) {
  const auto same_constant = [](const TensorView& x, const TensorView& y) {
    return x.storage == y.storage && SameValues(x, y);
  };
  return a.spec_version == b.spec_version && a.profile == b.profile && a.functions == b.functions &&
         a.metadata == b.metadata &&
         std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(),
                    same_constant);
}

Metadata DefaultMetadata(const Function& entry) {
  Metadata metadata;
  for (size_t i = 0; i < entry.params.size(); ++i) metadata.params.push_back({"p" + std::to_string(i), {}});
  for (size_t i = 0; i < entry.results.size(); ++i) metadata.results.push_back({"r" + std::to_string(i), {}});
  return metadata;
}

}  // namespace tally
