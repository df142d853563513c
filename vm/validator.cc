#include "vm/validator.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/op_rules.h"
#include "vm/expand_recipes.h"
#include "vm/limits.h"
#include "vm/metadata_rules.h"

namespace tally {

// Holds the module under proof; each method is one section of docs/spec/validation.md, in order.
class Validator {
 public:
  explicit Validator(Module module) { valid_.module_ = std::move(module); }

  absl::StatusOr<ValidModule> Run() && {
    RETURN_IF_ERROR(CheckHeader());
    RETURN_IF_ERROR(CheckMetadata(valid_.module_));
    RETURN_IF_ERROR(CheckConstants());
    RETURN_IF_ERROR(CheckParams());
    for (size_t i = 0; i < valid_.entry().body.size(); ++i) {
      if (absl::Status status = CheckInstruction(valid_.entry().body[i]); !status.ok()) {
        return AtInstruction(i, status);
      }
    }
    RETURN_IF_ERROR(CheckResults());
    RETURN_IF_ERROR(CheckConstantsAreUsed());
    RETURN_IF_ERROR(PlaceValues());
    return std::move(valid_);
  }

 private:
  absl::Status CheckHeader() const {
    const Module& m = valid_.module_;
    if (m.spec_version != kSpecVersion) {
      return MakeError("bad_spec_version",
                       absl::StrCat("spec version ", m.spec_version, ", not ", kSpecVersion));
    }
    if (m.functions.size() != 1) {
      return MakeError("function_count", absl::StrCat(m.functions.size(), " functions, not 1"));
    }
    size_t operands = 0;
    for (const Instruction& instruction : m.entry().body) operands += instruction.operands.size();
    const auto exceeds = [](size_t count, int64_t limit) { return static_cast<int64_t>(count) > limit; };
    if (exceeds(m.entry().body.size(), kMaxInstructions) || exceeds(m.entry().params.size(), kMaxParams) ||
        exceeds(m.entry().results.size(), kMaxResults) || exceeds(m.constants.size(), kMaxConstants) ||
        exceeds(operands, kMaxOperandsOfModule)) {
      return MakeError("value_count", "more values than the limits of docs/spec/limits.md");
    }
    return absl::OkStatus();
  }

  absl::Status CheckConstants() {
    RETURN_IF_ERROR(ExpandRecipes(valid_.module_));
    for (size_t i = 0; i < valid_.module_.constants.size(); ++i) {
      const TensorView& constant = valid_.module_.constants[i];
      if (static_cast<int64_t>(constant.bytes.size()) != constant.size_bytes()) {
        return MakeError("constant_size", absl::StrCat("constant ", i, " has ", constant.bytes.size(),
                                                       " bytes for ", constant.shape.ToString()));
      }
      const Interval bounds = constant.Bounds();
      if (constant.storage != NarrowestStorage(bounds)) {
        return MakeError("constant_storage",
                         absl::StrCat("constant ", i, " in ", bounds.ToString(), " is stored as ",
                                      ToAbsl(StorageName(constant.storage)), " instead of ",
                                      ToAbsl(StorageName(NarrowestStorage(bounds)))));
      }
      constant_bounds_.push_back(bounds);
      constant_elements_ += constant.shape.num_elements();
      valid_.constant_bytes_ += constant.size_bytes();
    }
    constant_used_.assign(valid_.module_.constants.size(), false);
    return absl::OkStatus();
  }

  absl::Status CheckParams() {
    const Interval limit = TensorLimit(valid_.module_.profile);
    for (size_t i = 0; i < valid_.entry().params.size(); ++i) {
      const TensorType& type = valid_.entry().params[i];
      if (type.interval.lo > type.interval.hi || !limit.Contains(type.interval)) {
        return MakeError("param_interval", absl::StrCat("parameter ", i, " has ", type.interval.ToString(),
                                                        ", empty or outside ", limit.ToString()));
      }
      RETURN_IF_ERROR(Define(type, PrecisionOf(type.interval.Magnitude()), -1));
    }
    return absl::OkStatus();
  }

  absl::Status CheckInstruction(const Instruction& instruction) {
    const OpInfo& info = InfoOf(instruction.op);
    if (valid_.module_.profile == Profile::kCvm && info.profile != Profile::kCvm) {
      return MakeError("profile_operator", absl::StrCat(ToAbsl(info.name), " is not in profile cvm"));
    }
    const int count = static_cast<int>(instruction.operands.size());
    if (count < info.min_operands || count > info.max_operands) {
      return MakeError("operand_count",
                       absl::StrCat(ToAbsl(info.name), " has ", count, " operands, outside [",
                                    info.min_operands, ", ", info.max_operands, "]"));
    }
    for (const ValueId operand : instruction.operands) {
      if (operand >= valid_.types_.size()) {
        return MakeError("operand_undefined", absl::StrCat("operand %", operand, " is not defined yet"));
      }
    }
    RETURN_IF_ERROR(CheckAttributes(info.attributes, instruction.attributes));
    RETURN_IF_ERROR(CountConstantReads(instruction));
    return Infer(instruction);
  }

  absl::Status Infer(const Instruction& instruction) {
    std::vector<TensorType> operands;
    std::vector<int> precisions;
    std::vector<const TensorView*> constants;
    for (const ValueId id : instruction.operands) {
      operands.push_back(valid_.types_[id]);
      precisions.push_back(valid_.precisions_[id]);
      constants.push_back(valid_.constant(id));
    }
    const InferContext context = {
        valid_.module_.profile,   &instruction.attributes, operands, precisions, constants,
        valid_.module_.constants, constant_bounds_};
    const OpRules& rules = RulesOf(instruction.op);
    Inferred inferred;
    RETURN_IF_ERROR(rules.infer(context, &inferred));

    std::vector<int> published(inferred.results.size(), kCvmMaxPrecision);
    if (valid_.module_.profile == Profile::kCvm) published = rules.precision({&context, inferred.results});
    const ValueId first_result = static_cast<ValueId>(valid_.types_.size());
    for (size_t i = 0; i < inferred.results.size(); ++i) {
      RETURN_IF_ERROR(Define(inferred.results[i], published[i], ConstantIndex(instruction)));
    }
    const WideGas work = rules.gas({&instruction.attributes, operands, inferred.results});
    const WideGas total = SatAdd(SatAdd(valid_.gas_, kGasPerInstruction), work);
    if (total > kMaxGas) {
      return MakeError("gas_limit_of_module", absl::StrCat("gas reaches ", ToString(total)));
    }
    valid_.facts_.push_back({first_result, inferred.accumulator, static_cast<int64_t>(total) - valid_.gas_,
                             inferred.scratch_bytes});
    valid_.gas_ = static_cast<int64_t>(total);
    return absl::OkStatus();
  }

  // Type rules read the elements of constant operands; a small module must not make them read a large constant
  // once for each of its many instructions.
  absl::Status CountConstantReads(const Instruction& instruction) {
    for (const ValueId id : instruction.operands) {
      if (const TensorView* constant = valid_.constant(id)) constant_reads_ += constant->shape.num_elements();
    }
    const int64_t limit = kMaxConstantReadsBase + kMaxConstantReadsFactor * constant_elements_;
    if (constant_reads_ > limit) {
      return MakeError("constant_reads_limit", absl::StrCat("type rules would read ", constant_reads_,
                                                            " constant elements, the limit is ", limit));
    }
    return absl::OkStatus();
  }

  // Which constant the instruction yields, or -1.
  int32_t ConstantIndex(const Instruction& instruction) {
    if (instruction.op != Opcode::kConstant) return -1;
    const int64_t index = Unpack<ConstantAttrs>(instruction.attributes).index;
    constant_used_[index] = true;
    return static_cast<int32_t>(index);
  }

  // Adds the next value.
  absl::Status Define(const TensorType& type, int precision, int32_t constant) {
    if (valid_.module_.profile == Profile::kCvm) {
      const auto dims = type.shape.dims();
      if (dims.empty() || type.shape.rank() > kCvmMaxRank ||
          *std::max_element(dims.begin(), dims.end()) > kCvmMaxDim ||
          type.shape.num_elements() > kCvmMaxElements) {
        return MakeError("cvm_shape",
                         absl::StrCat("shape ", type.shape.ToString(), " is outside profile cvm"));
      }
      if (precision > kCvmMaxPrecision) {
        return MakeError("cvm_precision", absl::StrCat("published precision ", precision, " exceeds 32"));
      }
    }
    valid_.types_.push_back(type);
    valid_.precisions_.push_back(precision);
    valid_.constants_.push_back(constant);
    return absl::OkStatus();
  }

  absl::Status CheckResults() const {
    if (valid_.entry().results.empty()) return MakeError("result_missing", "the entry has no results");
    for (const ValueId id : valid_.entry().results) {
      if (id >= valid_.types_.size()) {
        return MakeError("result_undefined", absl::StrCat("result %", id, " is not a value"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckConstantsAreUsed() const {
    for (size_t i = 0; i < constant_used_.size(); ++i) {
      if (!constant_used_[i])
        return MakeError("constant_unused", absl::StrCat("constant ", i, " is not used"));
    }
    return absl::OkStatus();
  }

  // Step s is instruction s; parameters are live from step 0 and results until the step behind the last.
  absl::Status PlaceValues() {
    const Function& entry = valid_.entry();
    const int32_t end = static_cast<int32_t>(entry.body.size());
    std::vector<BufferRequest> requests(valid_.types_.size());
    for (size_t id = 0; id < requests.size(); ++id) {
      requests[id].size_bytes =
          valid_.constant(static_cast<ValueId>(id)) ? 0 : valid_.types_[id].size_bytes();
    }
    for (int32_t step = 0; step < end; ++step) {
      const Instruction& instruction = entry.body[step];
      const ValueId first = valid_.facts_[step].first_result;
      for (int r = 0; r < InfoOf(instruction.op).results; ++r) {
        requests[first + r].first = requests[first + r].last = step;
      }
      for (const ValueId id : instruction.operands) requests[id].last = step;
    }
    for (const ValueId id : entry.results) requests[id].last = end;
    for (const BufferRequest& request : requests) valid_.last_steps_.push_back(request.last);
    // Constants take no room, so they need not be compared with anything.
    std::vector<ValueId> placed;
    std::vector<BufferRequest> sized;
    for (size_t id = 0; id < requests.size(); ++id) {
      if (requests[id].size_bytes == 0) continue;
      placed.push_back(static_cast<ValueId>(id));
      sized.push_back(requests[id]);
    }
    for (int32_t step = 0; step < end; ++step) {
      if (valid_.facts_[step].scratch_bytes > 0)
        sized.push_back({valid_.facts_[step].scratch_bytes, step, step});
    }
    ASSIGN_OR_RETURN(const MemoryPlan plan, PlanMemory(sized));
    valid_.offsets_.assign(requests.size(), -1);
    for (size_t i = 0; i < placed.size(); ++i) valid_.offsets_[placed[i]] = plan.offsets[i];
    valid_.arena_bytes_ = plan.arena_bytes;
    valid_.largest_live_bytes_ = plan.largest_live_bytes;
    return absl::OkStatus();
  }

  absl::Status AtInstruction(size_t index, const absl::Status& status) const {
    const Instruction& instruction = valid_.entry().body[index];
    return MakeError(ErrorLabel(status),
                     absl::StrCat("instruction ", index, " (", ToAbsl(InfoOf(instruction.op).name),
                                  "): ", status.message()));
  }

  ValidModule valid_;
  std::vector<Interval> constant_bounds_;
  std::vector<bool> constant_used_;
  int64_t constant_elements_ = 0;
  int64_t constant_reads_ = 0;
};

absl::StatusOr<ValidModule> Validate(Module module) { return Validator(std::move(module)).Run(); }

}  // namespace tally
