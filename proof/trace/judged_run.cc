#include "proof/trace/judged_run.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "vm/element_steps.h"
#include "vm/judgement.h"
#include "vm/wide_part.h"

namespace tally {
namespace {

enum Kind { kValue, kConstant, kColumn };

absl::Status Differs(const ValuePlace& place, int64_t element) {
  return absl::InternalError(absl::StrCat("a judgement differs at element ", element, " of %", place.id));
}

}  // namespace

class JudgedRun::CountedColumns final : public KnownColumns {
 public:
  CountedColumns(JudgedRun& run, const std::vector<Storage>& storages, const Columns& columns)
      : run_(run), storages_(storages), columns_(columns) {}

  absl::StatusOr<int64_t> Read(int column, int64_t i) override {
    const auto& integers = columns_[static_cast<size_t>(column)];
    ASSIGN_OR_RETURN(const Shape shape, Shape::Create({std::ssize(integers)}));
    run_.Count(kColumn, {{}, static_cast<ValueId>(column)}, storages_[static_cast<size_t>(column)], shape,
               Layout::kRowMajor, i);
    return integers[static_cast<size_t>(i)];
  }

 private:
  JudgedRun& run_;
  const std::vector<Storage>& storages_;
  const Columns& columns_;
};

absl::StatusOr<std::unique_ptr<JudgedRun>> JudgedRun::Of(const std::string& engine,
                                                         std::shared_ptr<const ValidModule> module,
                                                         std::vector<Tensor> inputs) {
  std::unique_ptr<JudgedRun> run(new JudgedRun(std::move(module), std::move(inputs)));
  ExecuteOptions options;
  options.observer = [&run](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    if (!run->committed_.contains(FunctionAt(run->module_->module(), path), id)) return;
    run->values_.insert_or_assign({{path.begin(), path.end()}, id}, Tensor::Copy(value, value.storage));
  };
  std::vector<TensorView> views;
  for (const Tensor& input : run->inputs_) views.push_back(input.view());
  ASSIGN_OR_RETURN(const auto plan, MakePlan(engine, run->module_, {}));
  RETURN_IF_ERROR(plan->Execute(views, options).status());
  return run;
}

absl::StatusOr<JudgedElement> JudgedRun::Judge(const ValuePlace& place, int64_t element,
                                               const JudgeOptions& options) {
  judged_ = {};
  leaves_.clear();
  options_ = options;
  by_steps_ = false;
  const int64_t claimed = values_.at(place).view().at(element);
  Referee<TrappingInt> referee(*module_, committed_, *this);
  ASSIGN_OR_RETURN(const TrappingInt direct, referee.Judge(place, element));
  if (static_cast<int64_t>(direct) != claimed) return Differs(place, element);
  EndJudgement();
  judged_.value = claimed;
  if (judged_.most.bytes <= options.most_direct) return judged_;

  judged_ = {.value = claimed};
  by_steps_ = true;
  of_steps_ = absl::OkStatus();
  if (IsWide(*module_, place)) {
    ASSIGN_OR_RETURN(const int64_t last, JudgeBySteps(place, element));
    if (last != claimed) return Differs(place, element);
    return judged_;
  }
  ASSIGN_OR_RETURN(const TrappingInt again, referee.Judge(place, element));
  RETURN_IF_ERROR(of_steps_);
  if (static_cast<int64_t>(again) != claimed) return Differs(place, element);
  EndJudgement();
  return judged_;
}

absl::StatusOr<int64_t> JudgedRun::JudgeBySteps(const ValuePlace& place, int64_t element) {
  ASSIGN_OR_RETURN(absl::StatusOr<int64_t> judged, EndOf([&] { return JudgeSteps(place, element); }));
  return judged;
}

absl::StatusOr<int64_t> JudgedRun::JudgeSteps(const ValuePlace& place, int64_t element) {
  const std::map<Leaf, LeafCost> around = std::exchange(leaves_, {});
  const bool by_steps = std::exchange(by_steps_, false);  // operands are judged as they are
  Referee<TrappingInt> claimant(*module_, committed_, *this);
  const ElementSteps<TrappingInt> claimed(claimant, place, element, options_.most_gathered);
  ASSIGN_OR_RETURN(const Columns columns, claimed.Run());
  leaves_.clear();
  std::vector<Storage> storages;
  for (const auto& steps : claimed.columns()) storages.push_back(steps.storage);

  Referee<FormalInt> referee(*module_, committed_, *this);
  const ElementSteps<FormalInt> steps(referee, place, element, options_.most_gathered);
  CountedColumns known(*this, storages, columns);
  judged_.columns += std::ssize(columns);
  for (size_t k = 0; k < columns.size(); ++k) {
    const auto length = std::ssize(columns[k]);
    judged_.integers += length;
    const int64_t apart = std::max<int64_t>(length / std::max<int64_t>(options_.of_each_column, 1), 1);
    for (int64_t i = length - 1; i >= 0; i -= apart) {
      ASSIGN_OR_RETURN(const FormalInt integer, steps.Judge(static_cast<int>(k), i, known));
      if (integer != FormalInt(columns[k][static_cast<size_t>(i)])) return Differs(place, element);
      EndJudgement();
    }
  }
  leaves_ = around;
  by_steps_ = by_steps;
  return columns.back().back();
}

std::optional<int64_t> JudgedRun::Expanded(const ValuePlace& place, int64_t element) {
  if (!by_steps_ || !IsWide(*module_, place)) return std::nullopt;
  const absl::StatusOr<int64_t> value = JudgeBySteps(place, element);
  of_steps_.Update(value.status());
  return value.ok() ? std::optional(*value) : std::nullopt;
}

absl::StatusOr<int64_t> JudgedRun::Read(const ValuePlace& place, int64_t element) {
  const size_t function = FunctionAt(module_->module(), place.path);
  if (const TensorView* constant = module_->constant(function, place.id)) {
    const auto index = static_cast<size_t>(module_->functions()[function].constants[place.id]);
    // A table that is given by its recipe is made anew.
    if (module_->module().recipe(index) == nullptr) {
      Count(kConstant, {{}, static_cast<ValueId>(index)}, constant->storage, constant->shape,
            Layout::kRowMajor, element);
    }
    return constant->at(element);
  }
  const bool is_input = place.path.empty() && place.id < inputs_.size();
  const TensorView value = is_input ? inputs_[place.id].view() : values_.at(place).view();
  Count(kValue, place, value.storage, value.shape, CommittedLayout(value.shape), element);
  return value.at(element);
}

void JudgedRun::Count(int kind, const ValuePlace& place, Storage storage, const Shape& shape, Layout layout,
                      int64_t element) {
  const TensorLeaves leaves(storage, shape, layout);
  const int64_t leaf = leaves.PlaceOf(element).leaf;
  const int levels = std::bit_width(static_cast<uint64_t>(leaves.count() - 1));
  leaves_.try_emplace({{kind, place}, leaf}, LeafCost{1, leaves.cuts().At(leaf).size, 32 * levels});
}

void JudgedRun::EndJudgement() {
  LeafCost all;
  for (const auto& [leaf, cost] : std::exchange(leaves_, {})) {
    all.leaves += cost.leaves;
    all.bytes += cost.bytes;
    all.path_bytes += cost.path_bytes;
  }
  if (all.bytes > judged_.most.bytes) judged_.most = all;
}

}  // namespace tally
