// Requests to a server on this machine, beside the bare plan: medians, and how many a second.
//
//   load HTTP_PORT GRPC_PORT MODEL MODULE REQUESTS CONNECTIONS
//
// Prints JSON with microseconds. The ways take turns, so that a machine that slows down slows all of them.
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "engines/engine.h"
#include "open_inference.grpc.pb.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 5;

double MicrosecondsSince(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

double QuantileOf(std::vector<double> times, double quantile) {
  std::ranges::sort(times);
  return times[static_cast<size_t>(quantile * static_cast<double>(times.size() - 1))];
}

// The inputs of a model: each request has elements that no other had.
class Inputs {
 public:
  explicit Inputs(const ValidModule& module) : module_(module), draw_(1) {
    for (const TensorType& type : module.functions()[0].params) {
      Tensor& tensor = tensors_.emplace_back(type.shape, type.storage());
      for (int64_t i = 0; i < type.shape.num_elements(); ++i) Draw(tensor, type, i);
    }
  }

  void Next() {
    const std::vector<TensorType>& types = module_.functions()[0].params;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const int64_t elements = types[i].shape.num_elements();
      for (int64_t k = 0; k < std::min<int64_t>(elements, 24); ++k)
        Draw(tensors_[i], types[i], k * elements / 24);
    }
  }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  std::vector<TensorView> views() const {
    std::vector<TensorView> views;
    for (const Tensor& tensor : tensors_) views.push_back(tensor.view());
    return views;
  }

 private:
  void Draw(Tensor& tensor, const TensorType& type, int64_t place) {
    const int64_t last = std::min(type.shape.num_elements() - 1, place);
    std::uniform_int_distribution<int64_t> element(type.interval.lo, type.interval.hi);
    StoreElement(type.storage(), tensor.mutable_bytes().data(), last, element(draw_));
  }

  const ValidModule& module_;
  std::mt19937_64 draw_;
  std::vector<Tensor> tensors_;
};

// A tensor of a storage travels in the datatype with a sign of the same size.
std::string DatatypeOf(Storage storage) { return "INT" + std::to_string(8 * SizeBytes(storage)); }

std::string HttpRequestOf(const std::string& model, const ValidModule& module, const Inputs& inputs,
                          const std::string& receipt) {
  nlohmann::ordered_json json = {{"inputs", nlohmann::ordered_json::array()},
                                 {"parameters", {{"binary_data_output", true}}}};
  if (!receipt.empty()) json["parameters"]["receipt"] = receipt;
  std::string bytes;
  for (size_t i = 0; i < inputs.tensors().size(); ++i) {
    const Tensor& tensor = inputs.tensors()[i];
    const auto dims = tensor.shape().dims();
    json["inputs"].push_back({{"name", module.module().metadata.params[i].name},
                              {"datatype", DatatypeOf(tensor.storage())},
                              {"shape", std::vector<int64_t>(dims.begin(), dims.end())},
                              {"parameters", {{"binary_data_size", tensor.bytes().size()}}}});
    bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  }
  const std::string head = json.dump();
  return "POST /v2/models/" + model +
         "/infer HTTP/1.1\r\nHost: a\r\nInference-Header-Content-Length: " + std::to_string(head.size()) +
         "\r\nContent-Length: " + std::to_string(head.size() + bytes.size()) + "\r\n\r\n" + head + bytes;
}

// A connection on which one request is under way.
class Connection {
 public:
  explicit Connection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::exit(3);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(socket_); }

  int socket_number() const { return socket_; }

  void Send(const std::string& request) {
    received_.clear();
    for (size_t sent = 0; sent < request.size();) {
      const ssize_t now = write(socket_, request.data() + sent, request.size() - sent);
      if (now <= 0) std::exit(4);
      sent += static_cast<size_t>(now);
    }
  }

  // Whether the answer is there as a whole. Ends the program where it is a refusal.
  bool Receive() {
    char part[1 << 16];
    const ssize_t now = read(socket_, part, sizeof part);
    if (now <= 0) std::exit(5);
    received_.append(part, static_cast<size_t>(now));
    const size_t head = received_.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    if (!received_.starts_with("HTTP/1.1 200")) {
      std::cerr << received_ << "\n";
      std::exit(6);
    }
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t length = received_.find(kLength);
    return received_.size() >= head + 4 + std::stoul(received_.substr(length + kLength.size()));
  }

 private:
  const int socket_;
  std::string received_;
};

// Requests on many connections, for each the next when the one before is answered: how many a second.
double PerSecond(int port, const std::string& request, int requests, int connections) {
  std::vector<std::unique_ptr<Connection>> open;
  std::vector<pollfd> polled;
  for (int i = 0; i < connections; ++i) {
    open.push_back(std::make_unique<Connection>(port));
    polled.push_back({open.back()->socket_number(), POLLIN, 0});
  }
  const Clock::time_point begin = Clock::now();
  for (const auto& connection : open) connection->Send(request);
  for (int answered = 0; answered < requests;) {
    poll(polled.data(), polled.size(), -1);
    for (size_t i = 0; i < open.size(); ++i) {
      if ((polled[i].revents & POLLIN) == 0 || !open[i]->Receive()) continue;
      ++answered;
      open[i]->Send(request);
    }
  }
  const double seconds = MicrosecondsSince(begin) * 1e-6;
  return requests / seconds;
}

absl::Status Measure(char** arguments) {
  const int http_port = std::atoi(arguments[1]), requests = std::atoi(arguments[5]);
  const std::string model = arguments[3];
  ASSIGN_OR_RETURN(Module decoded, LoadModule(arguments[4]));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(decoded)));
  const auto module = std::make_shared<const ValidModule>(std::move(valid));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module));
  Inputs inputs(*module);
  Connection connection(http_port);
  const auto stub = inference::GRPCInferenceService::NewStub(
      grpc::CreateChannel(std::string("127.0.0.1:") + arguments[2], grpc::InsecureChannelCredentials()));

  std::map<std::string, std::vector<double>> times;
  const auto rest = [&](const std::string& name, const std::string& receipt) {
    for (int i = 0; i < requests; ++i) {
      inputs.Next();
      const std::string request = HttpRequestOf(model, *module, inputs, receipt);
      const Clock::time_point begin = Clock::now();
      connection.Send(request);
      while (!connection.Receive()) {
      }
      times[name].push_back(MicrosecondsSince(begin));
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < requests; ++i) {
      inputs.Next();
      const Clock::time_point begin = Clock::now();
      RETURN_IF_ERROR(plan->Execute(inputs.views(), {}).status());
      times["bare"].push_back(MicrosecondsSince(begin));
    }
    rest("rest", "");
    rest("rest_receipt", "io");
    rest("rest_trace", "trace");
    for (int i = 0; i < requests; ++i) {
      inputs.Next();
      inference::ModelInferRequest message;
      message.set_model_name(model);
      for (size_t k = 0; k < inputs.tensors().size(); ++k) {
        const Tensor& tensor = inputs.tensors()[k];
        auto& input = *message.add_inputs();
        input.set_name(module->module().metadata.params[k].name);
        input.set_datatype(DatatypeOf(tensor.storage()));
        for (const int64_t dim : tensor.shape().dims()) input.add_shape(dim);
        message.add_raw_input_contents(tensor.bytes().data(), tensor.bytes().size());
      }
      grpc::ClientContext context;
      inference::ModelInferResponse answer;
      const Clock::time_point begin = Clock::now();
      if (!stub->ModelInfer(&context, message, &answer).ok()) std::exit(7);
      times["grpc"].push_back(MicrosecondsSince(begin));
    }
  }
  nlohmann::ordered_json report = {{"model", model}};
  for (const auto& [name, list] : times)
    report[name] = {{"median", QuantileOf(list, 0.5)}, {"p99", QuantileOf(list, 0.99)}};
  std::vector<double> rates;
  const std::string request = HttpRequestOf(model, *module, inputs, "");
  for (int round = 0; round < kRounds; ++round)
    rates.push_back(PerSecond(http_port, request, 10 * requests, std::atoi(arguments[6])));
  report["per_second"] = QuantileOf(rates, 0.5);
  std::cout << report << "\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const absl::Status done = tally::Measure(argv);
  if (!done.ok()) std::cerr << done << "\n";
  return done.ok() ? 0 : 1;
}
