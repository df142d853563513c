#include "proof/trace/partial_tensor.h"

#include "base/error.h"
#include "base/strings.h"
#include "proof/labels.h"

namespace tally {

absl::Status PartialTensor::Add(int64_t leaf, std::span<const uint8_t> bytes) {
  const bool exists = 0 <= leaf && leaf < leaves_.count();
  if (!exists || leaves_.cuts().At(leaf).size != std::ssize(bytes)) {
    return MakeError(label::leaf_bytes,
                     absl::StrCat("leaf ", leaf, " of ", leaves_.count(), ", with ", bytes.size(), " bytes"));
  }
  bytes_[leaf].assign(bytes.begin(), bytes.end());
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PartialTensor::Read(int64_t element) const {
  if (element < 0 || element >= elements_) {
    return MakeError(label::leaf_missing, absl::StrCat("there is no element ", element, " of ", elements_));
  }
  const auto [leaf, offset] = leaves_.PlaceOf(element);
  const auto found = bytes_.find(leaf);
  if (found == bytes_.end()) {
    return MakeError(label::leaf_missing,
                     absl::StrCat("leaf ", leaf, " is not at hand, which has element ", element));
  }
  return LoadElement(storage_, found->second.data() + offset, 0);
}

}  // namespace tally
