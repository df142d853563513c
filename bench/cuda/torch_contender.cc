#include "bench/cuda/torch_contender.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<TorchProcess>> TorchProcess::Start(const std::vector<std::string>& command) {
  if (command.empty()) return absl::UnavailableError("no python3 was named");
  auto torch = std::make_unique<TorchProcess>();
  ASSIGN_OR_RETURN(torch->child_, ChildProcess::Start(command));
  ASSIGN_OR_RETURN(const Json answer, torch->Ask({{"command", "hello"}}));
  torch->version_ = answer["version"].get<std::string>();
  return torch;
}

absl::StatusOr<Json> TorchProcess::Ask(const Json& question) {
  ASSIGN_OR_RETURN(const std::string line, child_->Ask(question.dump()));
  Json answer = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return absl::UnavailableError(absl::StrCat("python answered: ", line));
  if (answer.contains("error")) return absl::UnavailableError(answer["error"].get<std::string>());
  return answer;
}

absl::StatusOr<std::vector<double>> TorchContender::Run(int iterations, Clock) {
  ASSIGN_OR_RETURN(const Json answer, torch_.Ask({{"command", "run"},
                                                  {"m", shape_.m},
                                                  {"k", shape_.k},
                                                  {"n", shape_.n},
                                                  {"iterations", iterations},
                                                  {"repetitions", repetitions_}}));
  return answer["ms"].get<std::vector<double>>();
}

}  // namespace tally::bench
