#include "fuzz/oracles/transcript.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/committed_values.h"

namespace tally {
namespace {

absl::Status Differs(const std::string& engine, const std::string& what) {
  return absl::InternalError(absl::StrCat("engine ", engine, " differs at ", what));
}

// Goes along what is expected, value by value.
class Comparison {
 public:
  // `module`: null, or that of which only the values are shown that its traces commit to.
  Comparison(const std::string& engine, const Transcript& expected, const ValidModule* module)
      : engine_(engine), expected_(expected), module_(module) {
    if (module != nullptr) committed_.emplace(*module);
  }

  template <typename IsSame>
  void Show(std::span<const CallSite> path, ValueId id, IsSame is_same) {
    if (!status_.ok()) return;
    SkipWhatIsNotShown();
    const size_t at = next_++;
    if (at < expected_.values.size()) {
      const Transcript::Shown& shown = expected_.values[at];
      if (shown.id == id && std::ranges::equal(shown.path, path) && is_same(shown.value)) return;
    }
    status_ = Differs(engine_, absl::StrCat("value %", id, ", ", path.size(), " calls deep"));
  }
  absl::Status Finish() {
    SkipWhatIsNotShown();
    if (status_.ok() && next_ != expected_.values.size()) return Differs(engine_, "the number of values");
    return status_;
  }

 private:
  void SkipWhatIsNotShown() {
    if (!committed_) return;
    for (; next_ < expected_.values.size(); ++next_) {
      const Transcript::Shown& value = expected_.values[next_];
      if (committed_->contains(FunctionAt(module_->module(), value.path), value.id)) return;
    }
  }

  const std::string& engine_;
  const Transcript& expected_;
  const ValidModule* module_;
  std::optional<CommittedValues> committed_;
  size_t next_ = 0;
  absl::Status status_;
};

bool IsSame(const TensorView& a, const TensorView& b) {
  return a.storage == b.storage && a.shape == b.shape && std::ranges::equal(a.bytes, b.bytes);
}

}  // namespace

absl::StatusOr<Transcript> Observe(const Plan& plan, std::span<const TensorView> inputs) {
  Transcript transcript;
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    transcript.values.push_back({{path.begin(), path.end()}, id, Tensor::Copy(value, value.storage)});
  };
  try {
    ASSIGN_OR_RETURN(transcript.outcome, plan.Execute(inputs, options));
  } catch (const std::exception& trap) {
    return absl::InternalError(absl::StrCat("a trap: ", trap.what()));
  }
  return transcript;
}

absl::Status CheckObserved(const std::string& engine, const Plan& plan, std::span<const TensorView> inputs,
                           const Transcript& expected, bool roots) {
  Comparison comparison(engine, expected, roots ? &plan.module() : nullptr);
  ExecuteOptions options;
  if (roots) {
    options.root_observer = [&](std::span<const CallSite> path, ValueId id, Storage storage,
                                const Shape& shape, const Digest& root) {
      comparison.Show(path, id, [&](const Tensor& value) {
        return value.storage() == storage && value.shape() == shape && ValueRoot(value.view()) == root;
      });
    };
  } else {
    options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
      comparison.Show(path, id, [&](const Tensor& other) { return IsSame(value, other.view()); });
    };
  }
  ASSIGN_OR_RETURN(const Outcome outcome, plan.Execute(inputs, options));
  RETURN_IF_ERROR(comparison.Finish());
  return CheckSameOutcome(engine, outcome, expected.outcome);
}

absl::Status CheckSameOutcome(const std::string& engine, const Outcome& outcome, const Outcome& expected) {
  if (outcome.gas_used != expected.gas_used) return Differs(engine, "gas");
  if (outcome.results.size() != expected.results.size()) return Differs(engine, "the number of results");
  for (size_t r = 0; r < expected.results.size(); ++r) {
    if (!IsSame(outcome.results[r].view(), expected.results[r].view()))
      return Differs(engine, absl::StrCat("result ", r));
  }
  return absl::OkStatus();
}

}  // namespace tally
