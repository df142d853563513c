// A progress bar on standard error, with the time that remains; silent when that is not a terminal.
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

 private:
  std::string title_;
  bool terminal_;
  int last_percent_ = -1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tally::cli
