#include "server/http/http_client.h"

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using Tcp = net::ip::tcp;

// Runs asynchronous operations one after the other, each until it has ended.
class Caller {
 public:
  explicit Caller(const HttpTarget& target) : target_(target) {}

  // start(handler) begins an operation; error server_unreachable where it fails.
  template <typename Start>
  absl::Status Do(const Start& start) {
    beast::error_code result = net::error::operation_aborted;
    start([&](beast::error_code error, auto&&...) { result = error; });
    context_.restart();
    context_.run();
    return result ? Failed(result) : absl::OkStatus();
  }

  absl::Status Failed(const beast::error_code& error) const {
    return MakeError(label::server_unreachable,
                     Printable(absl::StrCat(target_.host, ":", target_.port, ": ", error.message())));
  }

  net::io_context& context() { return context_; }

 private:
  const HttpTarget& target_;
  net::io_context context_{1};
};

http::request<http::string_body> MessageOf(const HttpTarget& target, const HttpRequest& request) {
  http::request<http::string_body> message(http::string_to_verb(request.method),
                                           target.prefix + request.target, 11);
  message.set(http::field::host, target.host + ":" + target.port);
  message.set(http::field::user_agent, "tally");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  message.keep_alive(false);
  message.prepare_payload();
  return message;
}

template <typename Stream>
absl::StatusOr<HttpResponse> Exchange(Caller& caller, Stream& stream, const HttpTarget& target,
                                      const HttpRequest& request) {
  http::request<http::string_body> message = MessageOf(target, request);
  RETURN_IF_ERROR(caller.Do([&](auto done) { http::async_write(stream, message, done); }));
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostResponseBytes);
  RETURN_IF_ERROR(caller.Do([&](auto done) { http::async_read(stream, buffer, parser, done); }));
  HttpResponse response{.status = static_cast<int>(parser.get().result_int()),
                        .content_type = std::string(parser.get()[http::field::content_type]),
                        .body = std::move(parser.get().body()),
                        .headers = {}};
  return response;
}

}  // namespace

absl::StatusOr<HttpTarget> HttpTarget::Of(const std::string& url) {
  const auto refuse = [&] {
    return MakeError(label::request_form,
                     absl::StrCat("'", PrintableStart(url), "' is not http://HOST[:PORT] or https://"));
  };
  HttpTarget target;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    target.tls = true;
  } else if (!rest.starts_with("http://")) {
    return refuse();
  }
  rest.remove_prefix(rest.find("//") + 2);
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view place = rest.substr(0, slash);
  target.prefix = rest.substr(slash);
  while (target.prefix.ends_with('/')) target.prefix.pop_back();
  const size_t bracket = place.starts_with('[') ? place.find(']') : 0;
  if (bracket == std::string_view::npos) return refuse();
  const size_t colon = place.find(':', bracket);
  target.port = colon == std::string_view::npos ? (target.tls ? "443" : "80") : place.substr(colon + 1);
  target.host = place.substr(0, colon);
  if (bracket > 0) target.host = target.host.substr(1, bracket - 1);
  if (target.host.empty() || target.port.empty()) return refuse();
  return target;
}

absl::StatusOr<HttpResponse> CallHttp(const HttpTarget& target, const HttpRequest& request,
                                      std::chrono::milliseconds timeout) {
  Caller caller(target);
  beast::error_code error;
  Tcp::resolver resolver(caller.context());
  const auto endpoints = resolver.resolve(target.host, target.port, error);
  if (error) return caller.Failed(error);
  if (!target.tls) {
    beast::tcp_stream stream(caller.context());
    stream.expires_after(timeout);
    RETURN_IF_ERROR(caller.Do([&](auto done) { stream.async_connect(endpoints, done); }));
    return Exchange(caller, stream, target, request);
  }
  net::ssl::context tls(net::ssl::context::tls_client);
  tls.set_verify_mode(net::ssl::verify_peer);
  target.authority.empty() ? tls.set_default_verify_paths(error)
                           : tls.load_verify_file(target.authority, error);
  if (error) return caller.Failed(error);
  net::ssl::stream<beast::tcp_stream> stream(caller.context(), tls);
  stream.set_verify_callback(net::ssl::host_name_verification(target.host));
  SSL_set_tlsext_host_name(stream.native_handle(), target.host.c_str());
  beast::get_lowest_layer(stream).expires_after(timeout);
  RETURN_IF_ERROR(
      caller.Do([&](auto done) { beast::get_lowest_layer(stream).async_connect(endpoints, done); }));
  RETURN_IF_ERROR(caller.Do([&](auto done) { stream.async_handshake(net::ssl::stream_base::client, done); }));
  return Exchange(caller, stream, target, request);
}

}  // namespace tally::server
