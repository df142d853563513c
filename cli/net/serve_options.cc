#include "cli/net/serve_options.h"

namespace tally::cli {

CLI::App* AddServeOptions(CommandLine& line, server::ServeOptions& options) {
  CLI::App* serve =
      line.app.add_subcommand("serve", "serve models by the Open Inference Protocol, with receipts");
  serve->add_option("--models", options.models, "folder with the modules, which is watched")->required();
  serve->add_option("--store", options.store,
                    "where receipts are kept: a file of SQLite, or postgresql://...; default tally-node.db");
  serve->add_option("--key", options.key,
                    "private key for receipts: a file of mode 600 (tally keygen), or a pkcs11: URI");
  serve->add_option("--host", options.host, "address to listen at (default 127.0.0.1)");
  const auto port = [&](const char* name, int& value, const char* help) {
    serve->add_option(name, value, help)->check(CLI::Range(0, 65535));
  };
  port("--http-port", options.http_port, "port of the REST interface (default 8000; 0: any)");
  port("--grpc-port", options.grpc_port, "port of the gRPC interface (default 8001; 0: any)");
  const auto number = [&](const char* name, auto& value, int64_t least, int64_t most, const char* help) {
    serve->add_option(name, value, help)->check(CLI::Range(least, most));
  };
  number("--workers", options.workers, 0, 1024, "runs at once (default: the processors)");
  number("--cache", options.cache_mebibytes, 0, 1 << 20, "MiB of results that are kept for repeated inputs");
  number("--scan", options.scan_seconds, 1, 3600, "seconds between two looks at the folder");
  number("--drain", options.drain_seconds, 0, 3600, "seconds for requests that are there at SIGTERM");
  number("--most-request", options.most_request_mebibytes, 1, 2047, "MiB of a request");
  number("--keep-inputs", options.keep_inputs_hours, 0, 1 << 20,
         "hours that inputs are kept (default: for ever)");
  number("--keep-receipts", options.keep_receipts_hours, 0, 1 << 20,
         "hours that receipts are kept (default: for ever)");
  number("--keep-most", options.keep_mebibytes, 0, int64_t{1} << 40,
         "MiB that the store keeps (default: no limit); inputs go first, then receipts, the oldest first");
  serve->add_option("--tokens", options.tokens,
                    "file of bearer tokens and their scopes (default: none is needed)");
  number("--rate", options.rate, 0, 1'000'000, "requests of each client in a second (default: any number)");
  CLI::Option* certificate =
      serve->add_option("--tls-certificate", options.certificate, "certificate for TLS, a file in PEM");
  CLI::Option* key = serve->add_option("--tls-key", options.private_key, "its private key, a file in PEM");
  certificate->needs(key);
  key->needs(certificate);
  return serve;
}

}  // namespace tally::cli
