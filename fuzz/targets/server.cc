// Bytes of clients and operators, for each parser that a server has: they are taken, or refused with a label;
// each request has one answer. The first byte says which parser gets the others.
#include <unistd.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "base/strings.h"
#include "fuzz/targets/check.h"
#include "serializer/encode.h"
#include "server/access/access.h"
#include "server/dispute/dispute_routes.h"
#include "server/grpc/grpc_messages.h"
#include "server/http/http_client.h"
#include "server/http/routes.h"
#include "server/labels.h"
#include "server/models/model_config.h"
#include "server/models/tensors.h"
#include "server/protocol/json_request.h"
#include "vm/text/assembler.h"

namespace tally::server {
namespace {

void CheckRefusal(const absl::Status& refusal) {
  if (ErrorLabel(refusal).empty())
    Check(absl::InternalError(absl::StrCat("a refusal without a label: ", refusal.ToString())));
}

std::string FolderOfModel() {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("tally_server_" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder);
  constexpr char kModule[] =
      "tally 1\nprofile cvm\nparam %0 \"x\" [2] in [-5, 200] scale 1*2^-1 zero 1\n"
      "%1 = broadcast_add %0, %0\nresult %1 \"y\"\n";
  Check(WriteFileAtomically(folder + "/m.tally", Encode(*Assemble(kModule))));
  return folder;
}

// Disputes of any receipt, with echoes as answers.
class Echo final : public DisputeService {
 public:
  absl::StatusOr<std::vector<uint8_t>> Begin(const Digest&, const std::string& receipt) override {
    return std::vector<uint8_t>(receipt.begin(), receipt.end());
  }
  absl::StatusOr<std::vector<uint8_t>> Ask(const Digest&, int, std::span<const uint8_t> query) override {
    return std::vector<uint8_t>(query.begin(), query.end());
  }
  absl::StatusOr<std::string> Convict(const Digest&, std::span<const uint8_t>) override { return "{}"; }
  absl::StatusOr<std::string> Verdict(const Digest&) override { return ""; }
};

// A node with one model, which nobody can change.
struct FuzzedNode {
  const std::string folder = FolderOfModel();
  Metrics metrics;
  Repository repository{folder, [](const ModelEvent&) {}};
  absl::Status scanned = repository.Scan();
  std::unique_ptr<Access> access = *Access::Open("", 0);
  Node node{repository, metrics, {.workers = 1, .cache_bytes = 1 << 16}, nullptr, nullptr};
  Echo echo;
  DisputeRoutes disputes{echo};
  Routes routes{node, repository, metrics, *access, nullptr, &disputes};

  ~FuzzedNode() { std::filesystem::remove_all(folder); }
};

void CheckRequest(const absl::StatusOr<InferRequest>& request, const ServedModel& model) {
  if (!request.ok()) return CheckRefusal(request.status());
  const auto inputs = InputsOf(*request, model);
  if (!inputs.ok()) return CheckRefusal(inputs.status());
  if (const absl::Status outputs = CheckOutputs(*request, model); !outputs.ok()) CheckRefusal(outputs);
}

// The target is the first line, the method "G" or "P" in front of it; the body is the rest.
void CheckPath(FuzzedNode& fuzzed, std::string_view text) {
  const size_t end = std::min(text.find('\n'), text.size());
  HttpRequest request{.method = text.starts_with('G') ? "GET" : "POST",
                      .target = {},
                      .headers = {},
                      .body = {},
                      .client = {}};
  request.target = "/v2" + std::string(text.substr(std::min<size_t>(1, end), end));
  request.body = text.substr(std::min(end + 1, text.size()));
  // Loading and unloading would change what later inputs meet.
  if (request.target.find("load") != std::string::npos) return;
  std::promise<HttpResponse> answer;
  fuzzed.routes.Handle(std::move(request),
                       [&](HttpResponse response) { answer.set_value(std::move(response)); });
  const HttpResponse response = answer.get_future().get();
  if (response.status < 200 || response.status > 504 || response.status == 500)
    Check(absl::InternalError(absl::StrCat("an answer with status ", response.status)));
}

void CheckServer(int kind, std::string_view text) {
  static FuzzedNode fuzzed;
  static const auto model = *fuzzed.repository.Find("m", "");
  switch (kind % 6) {
    case 0: return CheckRequest(InferRequestOfJson(std::string(text), std::nullopt), *model);
    case 1: {
      const size_t length = text.empty() ? 0 : static_cast<uint8_t>(text[0]);
      return CheckRequest(InferRequestOfJson(std::string(text.substr(text.empty() ? 0 : 1)), length), *model);
    }
    case 2: {
      inference::ModelInferRequest message;
      if (message.ParseFromArray(text.data(), static_cast<int>(text.size())))
        CheckRequest(InferRequestOf(message), *model);
      return;
    }
    case 3: return CheckPath(fuzzed, text);
    case 4: {
      const auto config = ModelConfigOfJson(text);
      return config.ok() ? void() : CheckRefusal(config.status());
    }
    default: break;
  }
  const auto grants = Access::GrantsOf(text);
  if (!grants.ok()) CheckRefusal(grants.status());
  const auto target = HttpTarget::Of(std::string(text));
  if (!target.ok()) CheckRefusal(target.status());
}

}  // namespace
}  // namespace tally::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  tally::server::CheckServer(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
