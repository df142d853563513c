// Units of Abseil that Debian's static libraries have for programs alone: a variable of a thread has a place
// there that is known when a program is linked, and that a shared library does not know. Statistics of cords
// are turned off, and with them go locks, clocks and time zones, which nothing else here uses. All are weak:
// programs that do use those (gRPC) take Debian's.
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "absl/base/attributes.h"
#include "absl/base/internal/sysinfo.h"
#include "absl/strings/internal/cordz_functions.h"
#include "absl/strings/internal/cordz_info.h"
#include "absl/synchronization/mutex.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

namespace base_internal {

ABSL_ATTRIBUTE_WEAK int NumCPUs() {
  static const int count = static_cast<int>(std::thread::hardware_concurrency());
  return count;
}
ABSL_ATTRIBUTE_WEAK double NominalCPUFrequency() { return 1.0; }  // as where it is unknown
#if defined(SYS_gettid)
ABSL_ATTRIBUTE_WEAK pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }
#else
ABSL_ATTRIBUTE_WEAK pid_t GetTID() { return getpid(); }  // WebAssembly has one thread
#endif
ABSL_ATTRIBUTE_WEAK pid_t GetCachedTID() { return GetTID(); }

}  // namespace base_internal

namespace cord_internal {

ABSL_ATTRIBUTE_WEAK ABSL_CONST_INIT thread_local int64_t cordz_next_sample =
    std::numeric_limits<int64_t>::max();

ABSL_ATTRIBUTE_WEAK int32_t get_cordz_mean_interval() { return 0; }
ABSL_ATTRIBUTE_WEAK void set_cordz_mean_interval(int32_t) {}
ABSL_ATTRIBUTE_WEAK bool cordz_should_profile_slow() {
  cordz_next_sample = std::numeric_limits<int64_t>::max();
  return false;
}
ABSL_ATTRIBUTE_WEAK void cordz_set_next_sample_for_testing(int64_t next_sample) {
  cordz_next_sample = next_sample;
}

// Nobody samples, so nobody calls these.
ABSL_ATTRIBUTE_WEAK void CordzInfo::TrackCord(InlineData&, MethodIdentifier) {}
ABSL_ATTRIBUTE_WEAK void CordzInfo::TrackCord(InlineData&, const InlineData&, MethodIdentifier) {}
ABSL_ATTRIBUTE_WEAK void CordzInfo::MaybeTrackCordImpl(InlineData&, const InlineData&, MethodIdentifier) {}
ABSL_ATTRIBUTE_WEAK void CordzInfo::Untrack() {}
ABSL_ATTRIBUTE_WEAK void CordzInfo::Lock(MethodIdentifier) {}
ABSL_ATTRIBUTE_WEAK void CordzInfo::Unlock() {}

}  // namespace cord_internal

ABSL_ATTRIBUTE_WEAK void Mutex::AssertHeld() const {}

ABSL_NAMESPACE_END
}  // namespace absl
