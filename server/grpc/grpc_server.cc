#include "server/grpc/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/release.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "open_inference.grpc.pb.h"
#include "server/grpc/grpc_messages.h"
#include "server/labels.h"

namespace tally::server {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// The codes are the same; the label is in the trailing metadata.
grpc::Status StatusOf(const absl::Status& status, Context* context) {
  if (status.ok()) return grpc::Status::OK;
  context->AddTrailingMetadata("tally-label", ErrorLabel(status));
  return {static_cast<grpc::StatusCode>(status.code()), Printable(std::string(status.message()))};
}

Reactor* Finished(Context* context, const absl::Status& status) {
  Reactor* reactor = context->DefaultReactor();
  reactor->Finish(StatusOf(status, context));
  return reactor;
}

// The address in "ipv4:127.0.0.1:50000", without the port, which every connection has anew.
std::string AddressOf(const std::string& peer) {
  const size_t begin = peer.find(':') + 1, end = peer.rfind(':');
  return end <= begin ? peer : peer.substr(begin, end - begin);
}

template <typename Tensors>
void AddTensors(const std::vector<TensorInfo>& infos, Tensors* tensors) {
  for (const TensorInfo& info : infos) {
    auto& tensor = *tensors->Add();
    tensor.set_name(info.name);
    tensor.set_datatype(std::string(NameOf(info.datatype)));
    for (const int64_t dimension : info.shape) tensor.add_shape(dimension);
  }
}

class Service final : public inference::GRPCInferenceService::CallbackService {
 public:
  Service(Node& node, Repository& repository, Access& access)
      : node_(node), repository_(repository), access_(access) {}

  Reactor* ServerLive(Context* context, const inference::ServerLiveRequest*,
                      inference::ServerLiveResponse* response) override {
    response->set_live(true);
    return Finished(context, absl::OkStatus());
  }

  Reactor* ServerReady(Context* context, const inference::ServerReadyRequest*,
                       inference::ServerReadyResponse* response) override {
    response->set_ready(repository_.ready());
    return Finished(context, absl::OkStatus());
  }

  Reactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* response) override {
    if (const absl::Status allowed = Allowed(context, Scope::kInfer); !allowed.ok())
      return Finished(context, allowed);
    const auto model = repository_.Find(request->name(), request->version());
    if (HasLabel(model.status(), label::model_unknown)) return Finished(context, model.status());
    response->set_ready(model.ok());
    return Finished(context, absl::OkStatus());
  }

  Reactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest*,
                          inference::ServerMetadataResponse* response) override {
    response->set_name("tally");
    response->set_version(std::string(kVersion));
    for (const char* extension : {"model_repository", "receipt"}) response->add_extensions(extension);
    return Finished(context, absl::OkStatus());
  }

  Reactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* response) override {
    if (const absl::Status allowed = Allowed(context, Scope::kInfer); !allowed.ok())
      return Finished(context, allowed);
    const auto found = repository_.Find(request->name(), request->version());
    if (!found.ok()) return Finished(context, found.status());
    const ServedModel& model = **found;
    response->set_name(model.name());
    for (const std::string& version : repository_.VersionsOf(model.name())) response->add_versions(version);
    response->set_platform("tally");
    AddTensors(model.inputs(), response->mutable_inputs());
    AddTensors(model.outputs(), response->mutable_outputs());
    auto& properties = *response->mutable_properties();
    properties["version"] = model.version();
    properties["module"] = ToHex(model.claimed().id);
    properties["bounds"] = ToHex(model.claimed().bounds);
    properties["gas"] = absl::StrCat(model.module().gas());
    return Finished(context, absl::OkStatus());
  }

  Reactor* ModelInfer(Context* context, const inference::ModelInferRequest* request,
                      inference::ModelInferResponse* response) override {
    if (const absl::Status allowed = Allowed(context, Scope::kInfer); !allowed.ok())
      return Finished(context, allowed);
    const auto traceparent = context->client_metadata().find("traceparent");
    if (traceparent != context->client_metadata().end()) {
      context->AddInitialMetadata("traceparent", {traceparent->second.data(), traceparent->second.size()});
    }
    auto parsed = InferRequestOf(*request);
    if (!parsed.ok()) return Finished(context, parsed.status());
    if (const auto left = context->deadline() - std::chrono::system_clock::now();
        left < std::chrono::hours(24)) {
      const int64_t most = std::chrono::duration_cast<std::chrono::microseconds>(left).count();
      parsed->timeout_us = std::min(parsed->timeout_us.value_or(most), most);
    }
    Reactor* reactor = context->DefaultReactor();
    node_.Infer(*std::move(parsed), [=](const absl::StatusOr<InferResponse>& answer) {
      if (answer.ok()) Fill(*answer, *response);
      reactor->Finish(StatusOf(answer.status(), context));
    });
    return reactor;
  }

  Reactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                           inference::RepositoryIndexResponse* response) override {
    if (const absl::Status allowed = Allowed(context, Scope::kAdmin); !allowed.ok())
      return Finished(context, allowed);
    for (const ModelState& state : repository_.States()) {
      if (request->ready() && !state.ready) continue;
      auto& model = *response->add_models();
      model.set_name(state.name);
      model.set_version(state.version);
      model.set_state(state.ready ? "READY" : "UNAVAILABLE");
      model.set_reason(state.reason);
    }
    return Finished(context, absl::OkStatus());
  }

  Reactor* RepositoryModelLoad(Context* context, const inference::RepositoryModelLoadRequest* request,
                               inference::RepositoryModelLoadResponse*) override {
    if (const absl::Status allowed = Allowed(context, Scope::kAdmin); !allowed.ok())
      return Finished(context, allowed);
    return Finished(context, repository_.Load(request->model_name()));
  }

  Reactor* RepositoryModelUnload(Context* context, const inference::RepositoryModelUnloadRequest* request,
                                 inference::RepositoryModelUnloadResponse*) override {
    if (const absl::Status allowed = Allowed(context, Scope::kAdmin); !allowed.ok())
      return Finished(context, allowed);
    return Finished(context, repository_.Unload(request->model_name()));
  }

 private:
  absl::Status Allowed(Context* context, Scope scope) {
    const auto& metadata = context->client_metadata();
    const auto found = metadata.find("authorization");
    const std::string_view authorization = found == metadata.end()
                                               ? std::string_view()
                                               : std::string_view(found->second.data(), found->second.size());
    return access_.Check(authorization, AddressOf(context->peer()), scope);
  }

  Node& node_;
  Repository& repository_;
  Access& access_;
};

class RunningServer final : public GrpcServer {
 public:
  RunningServer(Node& node, Repository& repository, Access& access) : service_(node, repository, access) {}
  ~RunningServer() override { Drain(std::chrono::milliseconds(0)); }

  absl::Status Listen(const GrpcOptions& options) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!options.certificate.empty()) {
      ASSIGN_OR_RETURN(const std::vector<uint8_t> certificate, ReadFile(options.certificate, kMostPemBytes));
      ASSIGN_OR_RETURN(const std::vector<uint8_t> key, ReadFile(options.private_key, kMostPemBytes));
      grpc::SslServerCredentialsOptions tls;
      tls.pem_key_cert_pairs.push_back({std::string(AsText(key)), std::string(AsText(certificate))});
      credentials = grpc::SslServerCredentials(tls);
    }
    grpc::ResourceQuota quota("requests");
    quota.Resize(static_cast<size_t>(options.most_bytes));
    grpc::ServerBuilder builder;
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.most_message_bytes));
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // an address has one server
    const bool is_ipv6 = options.host.find(':') != std::string::npos;
    const std::string address =
        absl::StrCat(is_ipv6 ? "[" : "", options.host, is_ipv6 ? "]" : "", ":", options.port);
    builder.AddListeningPort(address, std::move(credentials), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ != nullptr && port_ != 0) return absl::OkStatus();
    return MakeError(label::server_address, absl::StrCat(Printable(address), ": gRPC cannot listen there"));
  }

  int port() const override { return port_; }

  void Drain(std::chrono::milliseconds most) override {
    // The server stays: a call that was not answered in time ends when the node has answered it.
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + most);
  }

 private:
  static constexpr uint64_t kMostPemBytes = 1 << 20;

  Service service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcOptions& options, Node& node,
                                                              Repository& repository, Access& access) {
  auto server = std::make_unique<RunningServer>(node, repository, access);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace tally::server
