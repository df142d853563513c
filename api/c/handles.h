// The objects that C holds by number.
//
//   const uint64_t handle = Handles::Get().Add(plan);               // std::shared_ptr<const LoadedPlan>
//   ASSIGN_OR_RETURN(const auto plan, Handles::Get().Find<LoadedPlan>(handle));
//   RETURN_IF_ERROR(Handles::Get().Remove<LoadedPlan>(handle));
//
// A number says which slot of a table, and the how many-th object of that slot: whoever keeps the number of
// an object that is gone is told so, and never gets another's. Who found an object has it until the end of
// the call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::api {

// How each kind of object describes itself:
//   static constexpr std::string_view kKind = "plan";
//   static constexpr bool kSurvivesFork = false;  // its threads are those of the process that made it
class Handles {
 public:
  // The table of this process. It is never destroyed: threads may still run when the process ends.
  static Handles& Get();

  template <typename Object>
  uint64_t Add(std::shared_ptr<const Object> object) {
    return Add(std::move(object), {Object::kKind, Object::kSurvivesFork});
  }

  // Errors: api_handle; api_forked.
  template <typename Object>
  absl::StatusOr<std::shared_ptr<const Object>> Find(uint64_t handle) const {
    auto object = Find(handle, {Object::kKind, Object::kSurvivesFork});
    if (!object.ok()) return object.status();
    return std::static_pointer_cast<const Object>(*std::move(object));
  }

  // Objects that others found stay until they are done. The null handle is none. Error api_handle.
  template <typename Object>
  absl::Status Remove(uint64_t handle) {
    return handle == 0 ? absl::OkStatus() : Remove(handle, {Object::kKind, Object::kSurvivesFork});
  }

 private:
  using Shared = std::shared_ptr<const void>;
  struct Kind {
    std::string_view name;
    bool survives_fork;
  };
  struct Slot {
    uint32_t generation = 0;  // the present object's, or the last one's
    int forks = 0;            // by the process and its parents, when the object was made
    std::string_view kind;
    Shared object;  // null where the slot is free
  };

  Handles();
  uint64_t Add(Shared object, const Kind& kind);
  absl::StatusOr<Shared> Find(uint64_t handle, const Kind& kind) const;
  absl::Status Remove(uint64_t handle, const Kind& kind);
  // Null where the handle is of no object of this kind. The mutex is held.
  const Slot* SlotOf(uint64_t handle, const Kind& kind) const;

  mutable std::shared_mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::vector<Shared> parents_;  // closed here, with threads in the parent: never destroyed
};

}  // namespace tally::api
