#include "examples/digits/show_dispute.h"

#include <cstdio>
#include <iostream>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "cli/dispute_picture.h"
#include "engines/engine.h"
#include "examples/digits/labels.h"
#include "examples/digits/require.h"
#include "proof/certificate/check_certificate.h"
#include "proof/dispute/play.h"

namespace tally::digits {
absl::Status ShowDispute(const std::shared_ptr<const ValidModule>& module, const TensorView& image) {
  const ClaimedModule claimed(*module);
  const TensorView inputs[] = {image};
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module));
  ASSIGN_OR_RETURN(const RecordedRun honest, RecordedRun::Of(claimed, *plan, inputs));
  RecordedRun accused = honest;
  const size_t entry = accused.values.size() / 2;
  Tensor& value = accused.values[entry];
  const int64_t element = value.shape().num_elements() / 2, right = value.view().at(element);
  StoreElement(value.storage(), value.mutable_bytes().data(), element, right == 0 ? 1 : right - 1);
  accused.CommitToTensors();

  std::printf(
      "\n  another run of the image: element %lld of value %zu of %zu is altered in its trace\n"
      "  the dispute about it: what a query asks about, of all that is in question\n\n",
      static_cast<long long>(element), entry, accused.values.size());
  std::fflush(stdout);
  ASSIGN_OR_RETURN(const PlayedDispute played, PlayDispute(claimed, honest, accused));
  cli::DrawDispute(played, std::cout);
  std::cout.flush();
  RETURN_IF_ERROR(Require(played.end && played.end->conviction, label::demo_dispute,
                          "the dispute did not end in a conviction"));
  std::printf("\n  %zu messages of the accused; a certificate of %zu bytes: convicted\n    %s\n",
              played.messages(), played.certificate.size(), played.end->conviction->what.c_str());
  const std::string names =
      "element " + std::to_string(element) + " of entry " + std::to_string(entry) + " is claimed";
  RETURN_IF_ERROR(Require(played.end->conviction->what.starts_with(names), label::demo_dispute,
                          "another element is accused"));

  std::vector<uint8_t> damaged = played.certificate;
  damaged[damaged.size() / 2] ^= 1;
  const auto refused = CheckCertificate<TrappingInt>(damaged);
  std::printf(
      "  one byte of the certificate changed: %s\n",
      refused.ok() ? "CONVICTED" : std::string("refused (" + ErrorLabel(refused.status()) + ")").c_str());
  return Require(!refused.ok(), label::demo_dispute, "a damaged certificate was accepted");
}

}  // namespace tally::digits
