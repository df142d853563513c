#include "cli/profile/step_profile.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>

#include "cli/profile/peak.h"

namespace tally::cli {
namespace {

constexpr int64_t kLeastRead = 16 << 10, kMostRead = 64 << 20;

// Reads of the next power of two bytes, each measured once.
class ReadRates {
 public:
  explicit ReadRates(CpuFlags flags) : flags_(flags) {}

  double Of(int64_t bytes) {
    const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bytes)));
    const int64_t read = std::clamp(size, kLeastRead, kMostRead);
    const auto [rate, is_new] = rates_.try_emplace(read);
    if (is_new) rate->second = MeasureRead(flags_, read).giga_per_second;
    return rate->second;
  }

 private:
  CpuFlags flags_;
  std::map<int64_t, double> rates_;
};

std::string Formatted(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// In a column of `width`; blank where there is nothing to say.
std::string Cell(const char* format, double value, size_t width) {
  std::string text = value > 0 ? Formatted(format, value) : "";
  text.insert(0, width - std::min(width, text.size()), ' ');
  return text;
}

}  // namespace

StepProfile ProfileOf(const StepTimes& times, CpuFlags flags, int threads) {
  StepProfile profile = {.steps = times.steps()};
  const std::vector<Peak> peaks = MeasurePeaks(flags, threads);
  if (!peaks.empty()) {
    profile.loop = peaks.back().name;
    profile.loop_gops = peaks.back().giga_per_second;
  }
  ReadRates reads(flags);
  double total = 0;
  for (size_t s = 0; s < profile.steps.size(); ++s) total += times.Milliseconds(s);
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const PlanStep& step = profile.steps[s];
    const double ms = times.Milliseconds(s);
    StepRate rate = {.step = s, .milliseconds = ms, .share = total > 0 ? ms / total : 0};
    if (ms > 0) {
      rate.gops = 2e-6 * static_cast<double>(step.multiply_adds) / ms;
      rate.gigabytes = 1e-6 * static_cast<double>(step.bytes) / ms;
    }
    if (profile.loop_gops > 0) rate.of_loop = rate.gops / profile.loop_gops;
    if (rate.gigabytes > 0) rate.of_read = rate.gigabytes / reads.Of(step.bytes);
    profile.rates.push_back(rate);
  }
  return profile;
}

std::string ProfileTable(const StepProfile& profile) {
  std::string table = "  step      time  share    GOPS  loop    GB/s  read  kernel";
  std::vector<StepRate> rates = profile.rates;
  std::ranges::stable_sort(rates, std::ranges::greater(), &StepRate::milliseconds);
  for (const StepRate& rate : rates) {
    const PlanStep& step = profile.steps[rate.step];
    table += "\n" + Formatted("%6.0f", static_cast<double>(rate.step)) +
             Formatted("%10.4f", rate.milliseconds) + Formatted("%6.1f%%", 100 * rate.share) +
             Cell("%.1f", rate.gops, 8) + Cell("%.0f%%", 100 * rate.of_loop, 6) +
             Cell("%.1f", rate.gigabytes, 8) + Cell("%.0f%%", 100 * rate.of_read, 6) + "  " + step.kernel;
    for (const std::string_view note : step.notes.names()) table.append(" ").append(note);
  }
  return table;
}

Json ProfileToJson(const StepProfile& profile) {
  Json steps = Json::array();
  for (const StepRate& rate : profile.rates) {
    const PlanStep& step = profile.steps[rate.step];
    steps.push_back({{"step", rate.step},
                     {"kernel", step.kernel},
                     {"notes", step.notes.names()},
                     {"milliseconds", rate.milliseconds},
                     {"share", rate.share},
                     {"multiply_adds", step.multiply_adds},
                     {"gops", rate.gops},
                     {"of_loop", rate.of_loop},
                     {"bytes", step.bytes},
                     {"gigabytes_per_second", rate.gigabytes},
                     {"of_read", rate.of_read}});
  }
  return {{"loop", profile.loop}, {"loop_gops", profile.loop_gops}, {"steps", std::move(steps)}};
}

std::string TraceOfLastRun(const StepTimes& times, const std::string& name) {
  Json events = Json::array();
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", name}}}});
  for (size_t s = 0; s < times.last().size(); ++s) {
    const PlanStep& step = times.steps()[s];
    const auto& [begin, end] = times.last()[s];
    events.push_back({{"name", step.kernel},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", 1000 * begin},  // microseconds
                      {"dur", 1000 * (end - begin)},
                      {"args",
                       {{"step", s},
                        {"notes", step.notes.names()},
                        {"multiply_adds", step.multiply_adds},
                        {"bytes", step.bytes}}}});
  }
  const Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return trace.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace tally::cli
