#include "bench/harness/machine.h"

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/strings.h"
#if defined(__linux__)
#include <sched.h>
#include <sys/utsname.h>
#endif

namespace tally::bench {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string model = "processor not named", steps;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) model = line.substr(colon + 2);
    if (line.starts_with("model\t") || line.starts_with("stepping")) {
      steps += absl::StrCat(", ", line.substr(0, line.find('\t')), " ", line.substr(colon + 2));
    }
  }
  return model + steps;
}

std::string Caches() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", i, "/");
    const std::string size = FirstLine(folder + "size");
    if (size.empty() || FirstLine(folder + "type") == "Instruction") continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", "L", FirstLine(folder + "level"), " ", size);
  }
  return text.empty() ? "caches not named" : text;
}

std::string Kernel() {
#if defined(__linux__)
  utsname name;
  if (uname(&name) == 0) return absl::StrCat(name.sysname, " ", name.release);
#endif
  return "system not named";
}

}  // namespace

std::string DescribeMachine(CpuFlags cpu) {
  const char* arch = std::getenv("TALLY_ARCH");
  return absl::StrCat("processor:  ", Processor(), "; ", std::thread::hardware_concurrency(), " cores; ",
                      Caches(), "\nflags:      ", CpuFlagsToString(cpu),
                      "\nTALLY_ARCH: ", arch == nullptr ? "not set" : arch, "\nsystem:     ", Kernel(),
                      "; load average ", FirstLine("/proc/loadavg"), "\n");
}

bool PinTo(int threads) {
#if defined(__linux__)
  cpu_set_t allowed, chosen;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  CPU_ZERO(&chosen);
  for (int cpu = CPU_SETSIZE - 1, left = threads; cpu >= 0 && left > 0; --cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_SET(cpu, &chosen);
    --left;
  }
  return CPU_COUNT(&chosen) == threads && sched_setaffinity(0, sizeof chosen, &chosen) == 0;
#else
  (void)threads;
  return false;
#endif
}

}  // namespace tally::bench
