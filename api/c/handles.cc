#include "api/c/handles.h"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <atomic>
#include <limits>
#include <utility>

#include "api/labels.h"
#include "base/error.h"
#include "base/strings.h"

namespace tally::api {
namespace {

// How often this process and its parents have forked since they had handles.
std::atomic<int> forks = 0;

absl::Status NoSuchHandle(uint64_t handle, std::string_view kind) {
  if (handle == 0) return MakeError(label::api_handle, absl::StrCat("the ", ToAbsl(kind), " is null"));
  return MakeError(label::api_handle, absl::StrCat("handle ", handle, " is of no open ", ToAbsl(kind)));
}

}  // namespace

Handles::Handles() {
#if !defined(_WIN32)  // where no process forks
  pthread_atfork(nullptr, nullptr, [] { ++forks; });
#endif
}

Handles& Handles::Get() {
  static Handles& handles = *new Handles;
  return handles;
}

uint64_t Handles::Add(Shared object, const Kind& kind) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    slots_.emplace_back();
    free_.reserve(slots_.capacity());  // so that Remove allocates nothing
    free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  ++slot.generation;
  slot.forks = forks;
  slot.kind = kind.name;
  slot.object = std::move(object);
  return uint64_t{slot.generation} << 32 | index;
}

const Handles::Slot* Handles::SlotOf(uint64_t handle, const Kind& kind) const {
  const auto index = static_cast<uint32_t>(handle);
  if (index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  const bool is_it = slot.object != nullptr && slot.generation == handle >> 32 && slot.kind == kind.name;
  return is_it ? &slot : nullptr;
}

absl::StatusOr<Handles::Shared> Handles::Find(uint64_t handle, const Kind& kind) const {
  const std::shared_lock lock(mutex_);
  const Slot* const slot = SlotOf(handle, kind);
  if (slot == nullptr) return NoSuchHandle(handle, kind.name);
  if (slot->forks != forks && !kind.survives_fork) {
    return MakeError(label::api_forked, absl::StrCat("the ", ToAbsl(kind.name),
                                                     " was made before the process forked: make another"));
  }
  return slot->object;
}

absl::Status Handles::Remove(uint64_t handle, const Kind& kind) {
  Shared object;  // destroyed after the lock is gone: that may take long, or call the caller
  {
    const std::lock_guard lock(mutex_);
    const Slot* const found = SlotOf(handle, kind);
    if (found == nullptr) return NoSuchHandle(handle, kind.name);
    Slot& slot = slots_[found - slots_.data()];
    object = std::move(slot.object);
    if (slot.forks != forks && !kind.survives_fork) parents_.push_back(std::move(object));
    const bool is_worn_out = slot.generation == std::numeric_limits<uint32_t>::max();
    if (!is_worn_out) free_.push_back(static_cast<uint32_t>(handle));
  }
  return absl::OkStatus();
}

}  // namespace tally::api
