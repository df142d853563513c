// A run of which everything is at hand, and what its elements are judged by.
//
//   ASSIGN_OR_RETURN(const auto run, JudgedRun::Of("cpu", module, inputs));
//   ASSIGN_OR_RETURN(const JudgedElement y, run->Judge({path, id}, element));
//   y.most.bytes;  // leaves that the largest judgement opens which the element takes
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/layout.h"
#include "base/tensor.h"
#include "ops/expansions.h"
#include "vm/committed_values.h"
#include "vm/referee.h"
#include "vm/valid_module.h"

namespace tally {

// The parts that a judgement opens: 32 bytes of path for each level above each leaf.
struct LeafCost {
  int64_t leaves = 0, bytes = 0, path_bytes = 0;
};

struct JudgedElement {
  int64_t value = 0;
  LeafCost most;         // in one judgement that it takes
  int64_t columns = 0;   // the expansion has so many; 0: it is judged directly
  int64_t integers = 0;  // in these columns
};

struct JudgeOptions {
  int64_t most_direct = kMostLeafBytes;    // an element that reads more bytes of leaves is judged by steps
  int64_t most_gathered = kMostLeafBytes;  // as ExpansionOf has it
  int64_t of_each_column = 1 << 10;        // integers that are judged: the last, and some evenly apart
};

// It knows every element of the run, so that other referees can ask it too.
class JudgedRun final : public KnownElements {
 public:
  // Runs the module. Errors: those of MakePlan and of the run.
  static absl::StatusOr<std::unique_ptr<JudgedRun>> Of(const std::string& engine,
                                                       std::shared_ptr<const ValidModule> module,
                                                       std::vector<Tensor> inputs);

  // The values that a trace of the run commits to.
  const std::map<ValuePlace, Tensor>& values() const { return values_; }
  const CommittedValues& committed() const { return committed_; }

  // Judges an element of one of them: from what it reads, or by steps. Errors: those of the referee;
  // internal, where a judgement does not say what the run or the expansion has.
  absl::StatusOr<JudgedElement> Judge(const ValuePlace& place, int64_t element,
                                      const JudgeOptions& options = {});

 private:
  class CountedColumns;
  // A leaf: a value or a constant of the module or a column, and its number.
  using Leaf = std::pair<std::pair<int, ValuePlace>, int64_t>;

  JudgedRun(std::shared_ptr<const ValidModule> module, std::vector<Tensor> inputs)
      : module_(std::move(module)), inputs_(std::move(inputs)), committed_(*module_) {}

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override;
  std::optional<int64_t> Expanded(const ValuePlace& place, int64_t element) override;

  absl::StatusOr<int64_t> JudgeBySteps(const ValuePlace& place, int64_t element);
  absl::StatusOr<int64_t> JudgeSteps(const ValuePlace& place, int64_t element);
  void Count(int kind, const ValuePlace& place, Storage storage, const Shape& shape, Layout layout,
             int64_t element);
  // Adds what was counted since the last call to the element that is judged.
  void EndJudgement();

  std::shared_ptr<const ValidModule> module_;
  std::vector<Tensor> inputs_;
  std::map<ValuePlace, Tensor> values_;
  CommittedValues committed_;

  // The judgement that goes on.
  std::map<Leaf, LeafCost> leaves_;
  JudgedElement judged_;
  JudgeOptions options_;
  bool by_steps_ = false;
  absl::Status of_steps_;
};

}  // namespace tally
