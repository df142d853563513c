// A node that lies: a test double. It runs a module, alters one element, signs that as if it were the run,
// and answers for it in disputes.
//
//   lying_node MODULE INPUT.npy KEY RECEIPT STATE (value|result|nothing) [PORT]
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/io/file.h"
#include "base/io/npy.h"
#include "base/io/npy_tensor.h"
#include "base/status_macros.h"
#include "engines/engine.h"
#include "proof/receipt/receipt.h"
#include "serializer/load_module.h"
#include "server/referee.h"
#include "vm/validator.h"

namespace tally::server {
namespace {

// Another element in the same place.
void Alter(Tensor& tensor) {
  uint8_t& byte = tensor.mutable_bytes()[0];
  byte = static_cast<uint8_t>(byte ^ 1);
}

absl::Status Lie(char** arguments, int port) {
  const std::string what = arguments[6];
  ASSIGN_OR_RETURN(Module decoded, LoadModule(arguments[1]));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(decoded)));
  auto run = std::make_shared<AssertedRun>();
  run->module = std::make_shared<const ValidModule>(std::move(valid));
  run->claimed = std::make_unique<const ClaimedModule>(*run->module);
  ASSIGN_OR_RETURN(const std::vector<uint8_t> npy, ReadFile(arguments[2]));
  ASSIGN_OR_RETURN(const NpyArray array, DecodeNpy(npy));
  ASSIGN_OR_RETURN(const Tensor input, TensorFromNpy(array));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("reference", run->module));
  ASSIGN_OR_RETURN(run->run, RecordedRun::Of(*run->claimed, *plan, std::vector<TensorView>{input.view()}));
  if (what == "value") Alter(run->run.values[run->run.values.size() / 2]);
  if (what == "result") Alter(run->run.results[0]);
  run->run.CommitToTensors();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> pem, ReadFile(arguments[3]));
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::FromPem(AsText(pem)));
  const Receipt receipt = SignReceipt(
      run->run.claim, {.issued_at = SecondsSince1970(), .trace = TraceDigest(run->run.trace)}, key);
  RETURN_IF_ERROR(WriteFileAtomically(arguments[4], AsBytes(ToJson(receipt))));
  return RunAsserter({.state = arguments[5], .port = port}, run);
}

}  // namespace
}  // namespace tally::server

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const absl::Status done = tally::server::Lie(argv, argc > 7 ? std::atoi(argv[7]) : 0);
  if (!done.ok()) std::cerr << done << "\n";
  return done.ok() ? 0 : 1;
}
