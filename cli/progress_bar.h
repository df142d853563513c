// A progress bar on standard error, with the time that remains; silent when that is not a terminal. For
// programs, with TALLY_PROGRESS=json in the environment, a line for each percent: {"progress": {"title": ..,
// "done": .., "total": ..}}.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tally::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();  // ends the line

  void Show(int64_t done, int64_t total);

  static void Silence();  // all bars, from now on

 private:
  std::string title_;
  bool json_;
  bool terminal_;
  int last_percent_ = -1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tally::cli
