// A connection: requests and responses in turn. Included by http_server.cc alone, since Beast takes long to
// compile.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "server/http/byte_budget.h"
#include "server/http/http_server.h"
#include "server/http/messages.h"
#include "server/labels.h"

namespace tally::server {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using Tcp = net::ip::tcp;
using Tls = net::ssl::stream<beast::tcp_stream>;

// Shared by all connections.
struct HttpShared {
  HttpShared(const HttpOptions& o, HandleHttp h) : options(o), handle(std::move(h)), budget(o.most_bytes) {}

  const HttpOptions options;
  const HandleHttp handle;
  ByteBudget budget;
  std::atomic<int64_t> connections = 0, busy = 0;  // those with a request that is not answered
  std::atomic<bool> drains = false;
};

// Stream: beast::tcp_stream, or Tls over one. All but the handler's response run in the stream's thread.
template <typename Stream>
class HttpSession : public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  HttpSession(Stream stream, std::string client, std::shared_ptr<HttpShared> shared)
      : stream_(std::move(stream)), client_(std::move(client)), shared_(std::move(shared)) {
    ++shared_->connections;
    if (shared_->options.on_connections) shared_->options.on_connections(1);
  }
  ~HttpSession() {
    EndRequest();
    --shared_->connections;
    if (shared_->options.on_connections) shared_->options.on_connections(-1);
  }

  auto executor() { return stream_.get_executor(); }

  void Start() {
    if constexpr (std::is_same_v<Stream, Tls>) {
      socket().expires_after(shared_->options.transfer);
      stream_.async_handshake(net::ssl::stream_base::server, [self = this->shared_from_this()](auto error) {
        if (!error) self->ReadHead();
      });
    } else {
      ReadHead();
    }
  }

 private:
  static constexpr size_t kMostHeadBytes = 16 << 10;
  static constexpr int64_t kLargeBody = 4 << 10, kMostRead = 128 << 10;

  beast::tcp_stream& socket() { return beast::get_lowest_layer(stream_); }

  void ReadHead() {
    parser_.emplace();
    if (buffer_.capacity() > kMostHeadBytes) buffer_.shrink_to_fit();  // it may be idle for long
    parser_->header_limit(kMostHeadBytes);
    parser_->body_limit(static_cast<uint64_t>(shared_->options.most_body_bytes));
    socket().expires_after(shared_->options.idle);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](beast::error_code error, size_t) {
                              if (!error) return self->BeginRequest();
                              if (error == http::error::body_limit) return self->RefuseSize();
                              if (error != http::error::end_of_stream && error.category() == HttpCategory())
                                self->Refuse(400, label::request_form, "a request is not of HTTP 1.1");
                            });
  }

  static const boost::system::error_category& HttpCategory() {
    static const boost::system::error_category& category =
        beast::error_code(http::error::bad_method).category();
    return category;
  }

  void BeginRequest() {
    ++shared_->busy;
    is_busy_ = true;
    const auto length = parser_->content_length();
    if (parser_->chunked())
      return Refuse(411, label::request_form, "a request has to say its Content-Length");
    if (length && *length > static_cast<uint64_t>(shared_->options.most_body_bytes)) return RefuseSize();
    const int64_t bytes = length ? static_cast<int64_t>(*length) : 0;
    if (!shared_->budget.Take(bytes))
      return Refuse(503, label::queue_full, "the requests of all clients together are too large");
    taken_ = bytes;
    socket().expires_after(shared_->options.transfer);
    if (bytes > 0 && beast::iequals(parser_->get()[http::field::expect], "100-continue")) return Continue();
    ReadBody();
  }

  void Continue() {
    auto response = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
    http::async_write(stream_, *response,
                      [self = this->shared_from_this(), response](beast::error_code error, size_t) {
                        if (!error) self->ReadBody();
                      });
  }

  void ReadBody() {
    // Beast reads as much at once as its buffer holds, which is little at first.
    if (taken_ > kLargeBody) buffer_.reserve(static_cast<size_t>(std::min(taken_, kMostRead)));
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](beast::error_code error, size_t) {
                       if (!error) self->Handle();
                     });
  }

  void Handle() {
    http::request<http::string_body> message = parser_->release();
    keeps_alive_ = message.keep_alive() && !shared_->drains;
    socket().expires_never();  // requests have deadlines of their own
    HttpRequest request{.method = std::string(message.method_string()),
                        .target = std::string(message.target()),
                        .headers = {},
                        .body = std::move(message.body()),
                        .client = client_};
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers.emplace_back(std::move(name), std::string(field.value()));
    }
    shared_->handle(std::move(request), [self = this->shared_from_this()](HttpResponse response) {
      net::dispatch(self->stream_.get_executor(),
                    [self, response = std::move(response)]() mutable { self->Write(std::move(response)); });
    });
  }

  void RefuseSize() {
    Refuse(413, label::request_size,
           absl::StrCat("a request may have ", shared_->options.most_body_bytes, " bytes"));
  }

  // The body of the request is not read, so that the connection ends.
  void Refuse(int status, Label why, std::string_view message) {
    keeps_alive_ = false;
    HttpResponse response = ErrorResponse(MakeError(why, message));
    response.status = status;
    socket().expires_after(shared_->options.transfer);
    Write(std::move(response));
  }

  void Write(HttpResponse response) {
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(response.status));
    response_.set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) response_.set(name, value);
    response_.body() = std::move(response.body);
    response_.keep_alive(keeps_alive_);
    response_.prepare_payload();
    socket().expires_after(shared_->options.transfer);
    http::async_write(stream_, response_, [self = this->shared_from_this()](beast::error_code error, size_t) {
      self->EndRequest();
      if (error) return;
      if (self->keeps_alive_ && !self->shared_->drains) return self->ReadHead();
      self->End();
    });
  }

  void EndRequest() {
    shared_->budget.Return(std::exchange(taken_, 0));
    if (std::exchange(is_busy_, false)) --shared_->busy;
  }

  void End() {
    if constexpr (std::is_same_v<Stream, Tls>) {
      stream_.async_shutdown([self = this->shared_from_this()](auto) {});
    } else {
      beast::error_code ignored;
      socket().socket().shutdown(Tcp::socket::shutdown_send, ignored);
    }
  }

  Stream stream_;
  const std::string client_;
  const std::shared_ptr<HttpShared> shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  int64_t taken_ = 0;  // from the budget
  bool is_busy_ = false, keeps_alive_ = true;
};

}  // namespace tally::server
