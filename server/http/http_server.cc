#include "server/http/http_server.h"

#include <thread>
#include <vector>

#include "base/printable.h"
#include "base/status_macros.h"
#include "server/http/http_session.h"

namespace tally::server {
namespace {

std::string AddressOf(const Tcp::socket& socket) {
  beast::error_code error;
  const Tcp::endpoint endpoint = socket.remote_endpoint(error);
  return error ? "" : endpoint.address().to_string();
}

// How long a thread looks for more before it sleeps: waking takes longer than most requests to small models.
constexpr std::chrono::microseconds kPolling(50);

void RunPolling(net::io_context& context) {
  while (context.run_one() > 0) {
    auto until = std::chrono::steady_clock::now() + kPolling;
    while (std::chrono::steady_clock::now() < until) {
      if (context.poll() > 0) until = std::chrono::steady_clock::now() + kPolling;
    }
  }
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, HandleHttp handle)
      : shared_(std::make_shared<HttpShared>(options, std::move(handle))) {
    for (int i = 0; i < options.threads; ++i) contexts_.push_back(std::make_unique<net::io_context>(1));
  }
  ~BeastServer() override { Drain(std::chrono::milliseconds(0)); }

  absl::Status Listen() {
    const HttpOptions& options = shared_->options;
    RETURN_IF_ERROR(UseTls());
    beast::error_code error;
    Tcp::resolver resolver(*contexts_[0]);
    const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                        Tcp::resolver::passive | Tcp::resolver::numeric_service, error);
    if (error) return CannotListen(error);
    const Tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.emplace(*contexts_[0]);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(4096, error);
    if (error) return CannotListen(error);
    port_ = acceptor_->local_endpoint().port();
    Accept();
    for (const auto& context : contexts_) {
      works_.push_back(net::make_work_guard(*context));
      threads_.emplace_back([&context] { RunPolling(*context); });
    }
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Drain(std::chrono::milliseconds most) override {
    if (threads_.empty()) return;
    shared_->drains = true;
    net::post(*contexts_[0], [this] {
      beast::error_code ignored;
      acceptor_->close(ignored);
    });
    const auto until = std::chrono::steady_clock::now() + most;
    while (shared_->busy > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    works_.clear();
    for (const auto& context : contexts_) context->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  absl::Status CannotListen(const beast::error_code& error) const {
    return MakeError(label::server_address, absl::StrCat(Printable(shared_->options.host), ":",
                                                         shared_->options.port, ": ", error.message()));
  }

  absl::Status UseTls() {
    const HttpOptions& options = shared_->options;
    if (options.certificate.empty()) return absl::OkStatus();
    tls_.emplace(net::ssl::context::tls_server);
    tls_->set_options(net::ssl::context::default_workarounds | net::ssl::context::no_sslv2 |
                      net::ssl::context::no_sslv3 | net::ssl::context::no_tlsv1 |
                      net::ssl::context::no_tlsv1_1);
    beast::error_code error;
    tls_->use_certificate_chain_file(options.certificate, error);
    if (!error) tls_->use_private_key_file(options.private_key, net::ssl::context::pem, error);
    if (!error) return absl::OkStatus();
    return MakeError(label::server_address,
                     absl::StrCat("certificate and key of TLS: ", Printable(error.message())));
  }

  void Accept() {
    net::io_context& context = *contexts_[next_++ % contexts_.size()];
    acceptor_->async_accept(context, [this](beast::error_code error, Tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (error) return AcceptLater();  // too many files are open
      if (shared_->connections < shared_->options.most_connections) Serve(std::move(socket));
      Accept();
    });
  }

  void AcceptLater() {
    const auto timer = std::make_shared<net::steady_timer>(*contexts_[0], std::chrono::milliseconds(50));
    timer->async_wait([this, timer](beast::error_code error) {
      if (!error) Accept();
    });
  }

  void Serve(Tcp::socket socket) {
    beast::error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    std::string client = AddressOf(socket);
    if (tls_) {
      Begin(std::make_shared<HttpSession<Tls>>(Tls(beast::tcp_stream(std::move(socket)), *tls_),
                                               std::move(client), shared_));
    } else {
      Begin(std::make_shared<HttpSession<beast::tcp_stream>>(beast::tcp_stream(std::move(socket)),
                                                             std::move(client), shared_));
    }
  }

  template <typename Session>
  void Begin(std::shared_ptr<Session> session) {
    const auto executor = session->executor();
    net::dispatch(executor, [session = std::move(session)] { session->Start(); });
  }

  const std::shared_ptr<HttpShared> shared_;
  std::optional<net::ssl::context> tls_;
  std::vector<std::unique_ptr<net::io_context>> contexts_;
  std::optional<Tcp::acceptor> acceptor_;
  size_t next_ = 0;
  int port_ = 0;
  std::vector<net::executor_work_guard<net::io_context::executor_type>> works_;
  std::vector<std::thread> threads_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options, HandleHttp handle) {
  auto server = std::make_unique<BeastServer>(options, std::move(handle));
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tally::server
