// Units of Abseil that Debian's static libraries have for programs alone: a variable of a thread has a place
// there that is known when a program is linked, and that a shared library does not know. Statistics of cords
// are turned off, and with them go locks, clocks and time zones, which nothing else here uses.
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "absl/base/internal/sysinfo.h"
#include "absl/strings/internal/cordz_functions.h"
#include "absl/strings/internal/cordz_info.h"
#include "absl/synchronization/mutex.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

namespace base_internal {

int NumCPUs() {
  static const int count = static_cast<int>(std::thread::hardware_concurrency());
  return count;
}
double NominalCPUFrequency() { return 1.0; }  // as where it is unknown
pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }
pid_t GetCachedTID() { return GetTID(); }

}  // namespace base_internal

namespace cord_internal {

ABSL_CONST_INIT thread_local int64_t cordz_next_sample = std::numeric_limits<int64_t>::max();

int32_t get_cordz_mean_interval() { return 0; }
void set_cordz_mean_interval(int32_t) {}
bool cordz_should_profile_slow() {
  cordz_next_sample = std::numeric_limits<int64_t>::max();
  return false;
}
void cordz_set_next_sample_for_testing(int64_t next_sample) { cordz_next_sample = next_sample; }

// Nobody samples, so nobody calls these.
void CordzInfo::TrackCord(InlineData&, MethodIdentifier) {}
void CordzInfo::TrackCord(InlineData&, const InlineData&, MethodIdentifier) {}
void CordzInfo::MaybeTrackCordImpl(InlineData&, const InlineData&, MethodIdentifier) {}
void CordzInfo::Untrack() {}
void CordzInfo::Lock(MethodIdentifier) {}
void CordzInfo::Unlock() {}

}  // namespace cord_internal

void Mutex::AssertHeld() const {}

ABSL_NAMESPACE_END
}  // namespace absl
