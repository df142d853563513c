#include "cli/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace tally::cli {

namespace {

bool is_silent = false;

bool IsForPrograms() {
  const char* const form = std::getenv("TALLY_PROGRESS");
  return !is_silent && form != nullptr && std::string_view(form) == "json";
}

}  // namespace

void ProgressBar::Silence() { is_silent = true; }

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)),
      json_(IsForPrograms()),
      terminal_(!json_ && !is_silent && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && last_percent_ >= 0) std::fputc('\n', stderr);
}

void ProgressBar::Show(int64_t done, int64_t total) {
  const int percent = total > 0 ? static_cast<int>(done * 100 / total) : 100;
  if (!(terminal_ || json_) || percent == last_percent_) return;
  last_percent_ = percent;
  if (json_) {  // titles are words of ours
    std::fprintf(stderr, "{\"progress\": {\"title\": \"%s\", \"done\": %lld, \"total\": %lld}}\n",
                 title_.c_str(), static_cast<long long>(done), static_cast<long long>(total));
    return;
  }
  constexpr int kWidth = 40;
  const std::string filled(static_cast<size_t>(percent * kWidth / 100), '#');
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double left = done > 0 ? seconds / static_cast<double>(done) * static_cast<double>(total - done) : 0;
  std::fprintf(stderr, "\r%-12s [%-*s] %3d%%  %lld/%lld, %.0f s left ", title_.c_str(), kWidth,
               filled.c_str(), percent, static_cast<long long>(done), static_cast<long long>(total), left);
  std::fflush(stderr);
}

}  // namespace tally::cli
