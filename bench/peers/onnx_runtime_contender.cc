#include "bench/peers/onnx_runtime_contender.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::bench {
namespace {

using Json = nlohmann::json;

absl::StatusOr<std::string> NewFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string folder = absl::StrCat(base == nullptr ? "/tmp" : base, "/tally-peer-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return absl::InternalError("no folder for temporary files");
  return folder;
}

absl::StatusOr<Json> Ask(ChildProcess& node, const Json& question) {
  ASSIGN_OR_RETURN(const std::string line, node.Ask(question.dump()));
  Json answer = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return absl::InternalError(absl::StrCat("node answered: ", line));
  if (answer.contains("error")) return absl::InternalError(answer["error"].get<std::string>());
  return answer;
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<OnnxRuntimeContender>> OnnxRuntimeContender::Create(
    const OnnxRuntimeOptions& options, const Work& work) {
  if (options.package.empty() || !std::filesystem::exists(options.package)) {
    return absl::NotFoundError(
        absl::StrCat("the npm package onnxruntime-node is not in '", options.package, "'"));
  }
  ASSIGN_OR_RETURN(OnnxWork model, WriteOnnx(work));
  auto contender = std::unique_ptr<OnnxRuntimeContender>(new OnnxRuntimeContender);
  ASSIGN_OR_RETURN(contender->folder_, NewFolder());
  const std::string path = contender->folder_ + "/model.onnx";
  WriteFile(path, model.model);
  const std::string package = std::filesystem::absolute(options.package).string();
  ASSIGN_OR_RETURN(contender->node_, ChildProcess::Start({"node", options.script, package}));
  const absl::StatusOr<Json> loaded =
      Ask(*contender->node_,
          {{"command", "load"}, {"model", path}, {"dims", model.dims}, {"threads", options.threads}});
  if (!loaded.ok()) {
    return absl::UnavailableError(absl::StrCat("node with onnxruntime-node: ", loaded.status().message()));
  }
  contender->version_ = (*loaded)["version"].get<std::string>();
  contender->repetitions_ = model.repetitions;
  return contender;
}

OnnxRuntimeContender::~OnnxRuntimeContender() {
  node_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

absl::StatusOr<std::vector<double>> OnnxRuntimeContender::Run(int iterations, Clock clock) {
  const int runs = (iterations + repetitions_ - 1) / repetitions_;
  ASSIGN_OR_RETURN(
      const Json answer,
      Ask(*node_, {{"command", "run"}, {"iterations", runs}, {"processor", clock == Clock::kProcessor}}));
  std::vector<double> times = answer["ms"].get<std::vector<double>>();
  for (double& ms : times) ms /= repetitions_;
  return times;
}

absl::StatusOr<std::string> OnnxRuntimeContender::Once(const std::string& input) {
  const std::string from = folder_ + "/input", to = folder_ + "/output";
  WriteFile(from, input);
  RETURN_IF_ERROR(Ask(*node_, {{"command", "once"}, {"input", from}, {"output", to}}).status());
  std::ifstream file(to, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace tally::bench
