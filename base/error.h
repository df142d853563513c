// Refusals with a stable identity.
//
//   TALLY_LABEL(refused, ResourceExhausted, gas_limit, "the module costs more gas than the caller allows");
//   ...
//   return MakeError(label::gas_limit, absl::StrCat("gas ", gas, " exceeds the limit ", limit));
//   ...
//   EXPECT_EQ(ErrorLabel(status), "gas_limit");
//
// A label is lower snake case, names one sentence of the specification and never changes its meaning.
// Tests and vectors compare labels; messages are for people and may change.
//
// Each library lists its labels in its labels.h, so a label that nobody lists does not compile, and a new one
// rebuilds those alone who raise labels of that library. Constraints of operators, label::conv2d_c3, come
// from the pages ops/<family>/spec.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tally {

// Who refuses, or whose fault it is. The first three are the specification's (docs/spec/errors.md).
enum class ErrorStage {
  malformed,  // decoding: no module has these bytes
  invalid,    // validation: no run of the module is allowed
  refused,    // planning and running: this run does not take place
  text,       // assembling
  model,      // importing, quantizing and exporting a model
  proof,      // checking a receipt: what it says does not hold, or cannot be told
  judged,     // a referee: an element cannot be judged from what is at hand
  file,       // reading and writing files
  request,    // the command line, or the arguments of a call
  fault,      // this implementation cannot go on
};

constexpr std::string_view ErrorStageName(ErrorStage stage) {
  switch (stage) {
    case ErrorStage::malformed: return "malformed";
    case ErrorStage::invalid: return "invalid";
    case ErrorStage::refused: return "refused";
    case ErrorStage::text: return "text";
    case ErrorStage::model: return "model";
    case ErrorStage::proof: return "proof";
    case ErrorStage::judged: return "judged";
    case ErrorStage::file: return "file";
    case ErrorStage::request: return "request";
    case ErrorStage::fault: break;
  }
  return "fault";
}

// The identity of a refusal. There are none but those of the lists: it is made while compiling.
class Label {
 public:
  consteval Label(std::string_view name, ErrorStage stage, absl::StatusCode code)
      : name_(name), stage_(stage), code_(code) {}

  constexpr std::string_view name() const { return name_; }
  constexpr ErrorStage stage() const { return stage_; }
  constexpr absl::StatusCode code() const { return code_; }

 private:
  std::string_view name_;
  ErrorStage stage_;
  absl::StatusCode code_;
};

// A row of a list, in namespace tally::label: stage, absl::StatusCode, label, what is refused.
#define TALLY_LABEL(stage, code, name, summary) \
  inline constexpr ::tally::Label name(#name, ::tally::ErrorStage::stage, ::absl::StatusCode::k##code)

// A status with the code of `label`, whose identity is `label`; `message` says which values were at fault.
absl::Status MakeError(Label label, std::string_view message);

// `status`, which is not OK, with another message.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

// The label that MakeError attached, or "" when `status` is OK or comes from elsewhere.
std::string ErrorLabel(const absl::Status& status);

// The stage of that label; nothing when there is none.
std::optional<ErrorStage> ErrorStageOf(const absl::Status& status);

bool HasLabel(const absl::Status& status, Label label);

}  // namespace tally
