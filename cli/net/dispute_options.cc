#include "cli/net/dispute_options.h"

namespace tally::cli {
namespace {

void AddPort(CLI::App& command, std::string& host, int& port, const char* help) {
  command.add_option("--host", host, "address to listen at (default 127.0.0.1)");
  command.add_option("--port", port, help)->check(CLI::Range(0, 65535));
}

void AddAgainst(CommandLine& line, CLI::App& dispute, DisputeOptions& options) {
  CLI::Option* against = dispute.add_option("--against", options.against,
                                            "URL of the server or the referee, http://... or https://...");
  const auto of_it = [&](const char* name, std::string& value, const char* help) {
    return dispute.add_option(name, value, help)->needs(against);
  };
  against->needs(of_it("--receipt", options.receipt, "with --against: the receipt in doubt"));
  dispute.add_option("--module", options.module,
                     "with --against or --chain: the module that the receipt or the claim names");
  of_it("--key", options.key, "with --against: public key that the receipt is to be signed with");
  of_it("--id", options.id, "with --against: go on with this dispute, 64 hexadecimal digits");
  of_it("--token", options.token, "with --against: file with the bearer token that the server asks for");
  dispute.add_option("--authority", options.authority,
                     "with --against or --chain: certificates in PEM that TLS is checked with");
  dispute
      .add_option("--timeout", options.timeout,
                  "with --against or --chain: seconds for each answer of the server (default 600)")
      ->check(CLI::Range(1, 86400));
  AddSampleOptions(line, dispute, options.inputs, "--input", false);
}

void AddChain(CLI::App& dispute, DisputeOptions::Chain& options) {
  CLI::Option* chain =
      dispute.add_option("--chain", options.url, "URL of a node's JSON-RPC, http://... or https://...");
  const auto of_it = [&](const char* name, auto& value, const char* help) {
    return dispute.add_option(name, value, help)->needs(chain);
  };
  chain->needs(of_it("--contract", options.contract, "with --chain: address of the game, 0x..."));
  chain->needs(of_it("--account", options.account,
                     "with --chain: file of mode 600 with the account's private key in hexadecimal"));
  of_it("--claim", options.claim,
        "with --chain: number of the claim in doubt; with --serve: go on with this claim");
  of_it("--dispute", options.dispute, "with --chain: go on with this dispute about the claim");
  of_it("--from-block", options.from_block, "with --chain: the block that events are looked for from");
}

}  // namespace

CLI::App* AddDisputeOptions(CommandLine& line, DisputeOptions& options) {
  CLI::App* dispute =
      line.app.add_subcommand("dispute", "play the dispute about a wrong run, to its certificate");
  AddDisputeFolders(line, *dispute, options.folders, /*required=*/false);
  AddAgainst(line, *dispute, options);
  AddChain(*dispute, options.chain);
  CLI::Option* serve = dispute->add_option("--serve", options.serve,
                                           "answer for the run of this folder over HTTP, or on a chain");
  dispute->add_option("--state", options.asserter.state, "with --serve: a file that keeps what was answered")
      ->needs(serve);
  AddPort(*dispute, options.asserter.host, options.asserter.port,
          "with --serve: port (default 8000; 0: any)");
  line.Writes(dispute->add_option("-o,--output", options.output, "file for the certificate"));
  line.ForMachines(*dispute, options.json);
  return dispute;
}

CLI::App* AddRefereeOptions(CommandLine& line, server::RefereeOptions& options) {
  CLI::App* referee = line.app.add_subcommand("referee", "judge the disputes about a server's receipts");
  referee->add_option("--asserter", options.asserter, "URL of the server that signed them")->required();
  referee->add_option("--key", options.key, "its public key")->required();
  referee->add_option("--module", options.modules, "module that is judged for; may be given again")
      ->required();
  referee->add_option(
      "--state", options.state,
      "where disputes are kept: a file of SQLite, or postgresql://...; default tally-referee.db");
  referee->add_option("--token", options.token, "file with the bearer token that the server asks for");
  referee->add_option("--authority", options.authority, "certificates in PEM that TLS is checked with");
  referee
      ->add_option("--timeout", options.seconds,
                   "seconds that each party has for a whole dispute (default 600)")
      ->check(CLI::Range(1, 86400));
  referee
      ->add_option("--window", options.window_hours,
                   "hours in which a receipt may be disputed (default: no limit)")
      ->check(CLI::Range(0, 1 << 20));
  AddPort(*referee, options.host, options.port, "port (default 8002; 0: any)");
  return referee;
}

}  // namespace tally::cli
