#include "vm/validator.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/labels.h"
#include "ops/op_rules.h"
#include "vm/expand_recipes.h"
#include "vm/labels.h"
#include "vm/limits.h"
#include "vm/metadata_rules.h"
#include "vm/place_values.h"

namespace tally {

// Holds the module under proof; each method is one section of docs/spec/validation.md, in order.
class Validator {
 public:
  explicit Validator(Module module, const ResultTypes* claimed = nullptr) : claimed_(claimed) {
    valid_.module_ = std::move(module);
  }

  absl::StatusOr<ValidModule> Run() && {
    RETURN_IF_ERROR(CheckHeader());
    if (claimed_ == nullptr) {
      RETURN_IF_ERROR(CheckMetadata(valid_.module_));
      RETURN_IF_ERROR(CheckConstants());
    }
    constant_used_.assign(valid_.module_.constants.size(), false);
    // The last function first: each names only functions after it.
    const size_t count = valid_.module_.functions.size();
    valid_.functions_.resize(count);
    signatures_.resize(count);
    function_used_.assign(count, false);
    for (size_t f = count; f-- > 0;) {
      if (absl::Status status = CheckFunction(f); !status.ok()) return InFunction(f, status);
    }
    RETURN_IF_ERROR(CheckConstantsAreUsed());
    RETURN_IF_ERROR(CheckFunctionsAreUsed());
    return std::move(valid_);
  }

 private:
  absl::Status CheckHeader() const {
    const Module& m = valid_.module_;
    if (m.spec_version != kSpecVersion) {
      return MakeError(label::bad_spec_version,
                       absl::StrCat("spec version ", m.spec_version, ", not ", kSpecVersion));
    }
    const auto exceeds = [](size_t count, int64_t limit) { return static_cast<int64_t>(count) > limit; };
    if (m.functions.empty() || exceeds(m.functions.size(), kMaxFunctions)) {
      return MakeError(label::function_count,
                       absl::StrCat(m.functions.size(), " functions, not 1 to ", kMaxFunctions));
    }
    size_t instructions = 0, operands = 0, values = 0;
    bool fits = !exceeds(m.constants.size(), kMaxConstants);
    for (const Function& function : m.functions) {
      fits &= !exceeds(function.params.size(), kMaxParams) && !exceeds(function.results.size(), kMaxResults);
      instructions += function.body.size();
      values += function.params.size() + function.results.size();
      for (const Instruction& instruction : function.body) {
        operands += instruction.operands.size();
        values += static_cast<size_t>(NumResults(m, instruction));
      }
    }
    if (!fits || exceeds(instructions, kMaxInstructions) || exceeds(operands, kMaxOperandsOfModule) ||
        exceeds(values, kMaxValues)) {
      return MakeError(label::value_count, "more values than the limits of docs/spec/limits.md");
    }
    return absl::OkStatus();
  }

  absl::Status CheckConstants() {
    RETURN_IF_ERROR(ExpandRecipes(valid_.module_));
    for (size_t i = 0; i < valid_.module_.constants.size(); ++i) {
      const TensorView& constant = valid_.module_.constants[i];
      if (static_cast<int64_t>(constant.bytes.size()) != constant.size_bytes()) {
        return MakeError(label::constant_size, absl::StrCat("constant ", i, " has ", constant.bytes.size(),
                                                            " bytes for ", constant.shape.ToString()));
      }
      const Interval bounds = constant.Bounds();
      if (constant.storage != NarrowestStorage(bounds)) {
        return MakeError(label::constant_storage,
                         absl::StrCat("constant ", i, " in ", bounds.ToString(), " is stored as ",
                                      ToAbsl(StorageName(constant.storage)), " instead of ",
                                      ToAbsl(StorageName(NarrowestStorage(bounds)))));
      }
      constant_bounds_.push_back(bounds);
      constant_elements_ += constant.shape.num_elements();
      valid_.constant_bytes_ += constant.size_bytes();
    }
    return absl::OkStatus();
  }

  absl::Status CheckFunction(size_t number) {
    current_ = number;
    const Function& function = valid_.module_.functions[number];
    FunctionFacts& facts = Facts();
    RETURN_IF_ERROR(CheckParams(function));
    RETURN_IF_ERROR(Charge(kGasPerFunction + GasOfPassing(function.params)));
    for (size_t i = 0; i < function.body.size(); ++i) {
      if (absl::Status status = CheckInstruction(function.body[i]); !status.ok()) {
        return AtInstruction(i, function.body[i], status);
      }
    }
    RETURN_IF_ERROR(CheckResults(function));
    for (const ValueId id : function.results) facts.results.push_back(facts.types[id]);
    RETURN_IF_ERROR(Charge(GasOfPassing(facts.results)));
    RETURN_IF_ERROR(PlaceValues(function, number == 0, &live_pairs_, &facts));
    facts.params = function.params;
    signatures_[number] = facts.signature();
    return absl::OkStatus();
  }

  // The gas of entering and leaving a function for these of its parameters or results.
  static int64_t GasOfPassing(const std::vector<TensorType>& values) {
    int64_t gas = 0;  // 4096 values of 2^36 elements fit
    for (const TensorType& value : values) {
      gas += kGasPerPassedValue + kGasPerPassedElement * value.shape.num_elements();
    }
    return gas;
  }

  absl::Status CheckParams(const Function& function) {
    const Interval limit = TensorLimit(valid_.module_.profile);
    for (size_t i = 0; i < function.params.size(); ++i) {
      const TensorType& type = function.params[i];
      if (type.interval.lo > type.interval.hi || !limit.Contains(type.interval)) {
        return MakeError(label::param_interval,
                         absl::StrCat("parameter ", i, " has ", type.interval.ToString(),
                                      ", empty or outside ", limit.ToString()));
      }
      RETURN_IF_ERROR(Define(type, PrecisionOf(type.interval.Magnitude()), -1));
    }
    return absl::OkStatus();
  }

  absl::Status CheckInstruction(const Instruction& instruction) {
    const OpInfo& info = InfoOf(instruction.op);
    if (valid_.module_.profile == Profile::kCvm && info.profile != Profile::kCvm) {
      return MakeError(label::profile_operator, absl::StrCat(ToAbsl(info.name), " is not in profile cvm"));
    }
    const int count = static_cast<int>(instruction.operands.size());
    if (count < info.min_operands || count > info.max_operands) {
      return MakeError(label::operand_count,
                       absl::StrCat(ToAbsl(info.name), " has ", count, " operands, outside [",
                                    info.min_operands, ", ", info.max_operands, "]"));
    }
    for (const ValueId operand : instruction.operands) {
      if (operand >= Facts().types.size()) {
        return MakeError(label::operand_undefined, absl::StrCat("operand %", operand, " is not defined yet"));
      }
    }
    RETURN_IF_ERROR(CheckAttributes(info.attributes, instruction.attributes));
    RETURN_IF_ERROR(CheckFunctionReferences(info, instruction));
    RETURN_IF_ERROR(CountConstantReads(instruction));
    return Infer(instruction);
  }

  // Functions after the current one have been checked, and none of them can name the current one.
  absl::Status CheckFunctionReferences(const OpInfo& info, const Instruction& instruction) {
    absl::Status status;
    ForEachFunction(info.attributes, instruction.attributes, [&](int64_t function) {
      const auto count = static_cast<int64_t>(valid_.functions_.size());
      if (function <= static_cast<int64_t>(current_) || function >= count) {
        status.Update(MakeError(
            label::function_reference,
            absl::StrCat("function ", function, " is not behind function ", current_, " of ", count)));
        return;
      }
      function_used_[function] = true;
      Facts().depth = std::max(Facts().depth, 1 + valid_.functions_[function].depth);
    });
    RETURN_IF_ERROR(status);
    if (Facts().depth > kMaxCallDepth) {
      return MakeError(label::call_depth,
                       absl::StrCat("more than ", kMaxCallDepth, " functions inside one another"));
    }
    return absl::OkStatus();
  }

  absl::Status Infer(const Instruction& instruction) {
    std::vector<TensorType> operands;
    std::vector<int> precisions;
    std::vector<const TensorView*> constants;
    for (const ValueId id : instruction.operands) {
      operands.push_back(Facts().types[id]);
      precisions.push_back(Facts().precisions[id]);
      constants.push_back(valid_.constant(current_, id));
    }
    const OpRules& rules = RulesOf(instruction.op);
    Inferred inferred;
    const InferContext context = {
        valid_.module_.profile,   &instruction.attributes, operands,    precisions,         constants,
        valid_.module_.constants, constant_bounds_,        signatures_, claimed_ != nullptr};
    if (claimed_ == nullptr) {
      RETURN_IF_ERROR(rules.infer(context, &inferred));
    } else {
      RETURN_IF_ERROR(TakeClaimed(instruction, context, &inferred));
    }

    std::vector<int> published(inferred.results.size(), kCvmMaxPrecision);
    if (valid_.module_.profile == Profile::kCvm) published = rules.precision({&context, inferred.results});
    const ValueId first_result = static_cast<ValueId>(Facts().types.size());
    for (size_t i = 0; i < inferred.results.size(); ++i) {
      RETURN_IF_ERROR(Define(inferred.results[i], published[i], ConstantIndex(instruction)));
    }
    const WideGas work =
        SatAdd(GasOfResults(inferred.results),
               rules.gas({&instruction.attributes, operands, inferred.results, signatures_}));
    const WideGas gas = SatAdd(kGasPerInstruction, work);
    RETURN_IF_ERROR(Charge(gas));
    Facts().instructions.push_back({.first_result = first_result,
                                    .num_results = static_cast<int>(inferred.results.size()),
                                    .accumulator = inferred.accumulator,
                                    .gas = static_cast<int64_t>(gas),
                                    .scratch_bytes = inferred.scratch_bytes});
    return absl::OkStatus();
  }

  // The claimed types of the next instruction, if its rule lets it have them.
  absl::Status TakeClaimed(const Instruction& instruction, const InferContext& context, Inferred* out) {
    const auto& functions = *claimed_;
    const size_t step = Facts().instructions.size();
    if (current_ >= functions.size() || step >= functions[current_].size()) {
      return MakeError(label::program_types, "it has no types");
    }
    const std::vector<TensorType>& types = functions[current_][step];
    if (instruction.op == Opcode::kConstant) {
      RETURN_IF_ERROR(TakeConstant(Unpack<ConstantAttrs>(instruction.attributes).index, types));
    } else {
      RETURN_IF_ERROR(RulesOf(instruction.op).infer(context, out));
      bool allowed = types.size() == out->results.size();
      for (size_t r = 0; allowed && r < types.size(); ++r) {
        const TensorType& of_rule = out->results[r];
        allowed = types[r].shape == of_rule.shape && of_rule.interval.Contains(types[r].interval);
      }
      if (!allowed) return MakeError(label::program_types, "its rule gives other types");
    }
    out->results = types;
    return absl::OkStatus();
  }

  // A constant has the type that its first instruction is claimed to have.
  absl::Status TakeConstant(int64_t index, const std::vector<TensorType>& types) {
    if (index >= std::ssize(constant_used_) || types.size() != 1) {
      return MakeError(label::program_types, absl::StrCat("constant ", index, " with ", types.size(),
                                                          " types, of ", constant_used_.size()));
    }
    TensorView& constant = valid_.module_.constants[static_cast<size_t>(index)];
    const TensorView claimed = {types[0].storage(), types[0].shape, {}};
    if (!constant_used_[static_cast<size_t>(index)]) constant = claimed;
    if (constant.storage == claimed.storage && constant.shape == claimed.shape) return absl::OkStatus();
    return MakeError(label::program_types, absl::StrCat("constant ", index, " has two types"));
  }

  // Adds to the gas of the function.
  absl::Status Charge(WideGas gas) {
    const WideGas total = SatAdd(Facts().gas, gas);
    if (total > kMaxGas) {
      return MakeError(label::gas_limit_of_module, absl::StrCat("gas reaches ", ToString(total)));
    }
    Facts().gas = static_cast<int64_t>(total);
    return absl::OkStatus();
  }

  // Type rules read the elements of constant operands; a small module must not make them read a large
  // constant once for each of its many instructions.
  absl::Status CountConstantReads(const Instruction& instruction) {
    if (claimed_ != nullptr) return absl::OkStatus();  // they read none
    for (const ValueId id : instruction.operands) {
      if (const TensorView* constant = valid_.constant(current_, id))
        constant_reads_ += constant->shape.num_elements();
    }
    const int64_t limit = kMaxConstantReadsBase + kMaxConstantReadsFactor * constant_elements_;
    if (constant_reads_ > limit) {
      return MakeError(label::constant_reads_limit, absl::StrCat("type rules would read ", constant_reads_,
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
        return MakeError(label::cvm_shape,
                         absl::StrCat("shape ", type.shape.ToString(), " is outside profile cvm"));
      }
      if (precision > kCvmMaxPrecision) {
        return MakeError(label::cvm_precision,
                         absl::StrCat("published precision ", precision, " exceeds 32"));
      }
    }
    Facts().types.push_back(type);
    Facts().precisions.push_back(precision);
    Facts().constants.push_back(constant);
    return absl::OkStatus();
  }

  absl::Status CheckResults(const Function& function) {
    if (function.results.empty()) return MakeError(label::result_missing, "the function has no results");
    for (const ValueId id : function.results) {
      if (id >= Facts().types.size()) {
        return MakeError(label::result_undefined, absl::StrCat("result %", id, " is not a value"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckConstantsAreUsed() const {
    for (size_t i = 0; i < constant_used_.size(); ++i) {
      if (!constant_used_[i])
        return MakeError(label::constant_unused, absl::StrCat("constant ", i, " is not used"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckFunctionsAreUsed() const {
    for (size_t f = 1; f < function_used_.size(); ++f) {
      if (!function_used_[f])
        return MakeError(label::function_unused, absl::StrCat("function ", f, " is not used"));
    }
    return absl::OkStatus();
  }

  static absl::Status AtInstruction(size_t index, const Instruction& instruction,
                                    const absl::Status& status) {
    return WithMessage(status, absl::StrCat("instruction ", index, " (", ToAbsl(InfoOf(instruction.op).name),
                                            "): ", status.message()));
  }

  // The entry needs no naming.
  static absl::Status InFunction(size_t number, const absl::Status& status) {
    if (number == 0) return status;
    return WithMessage(status, absl::StrCat("function ", number, ": ", status.message()));
  }

  // The facts of the function under proof.
  FunctionFacts& Facts() { return valid_.functions_[current_]; }

  ValidModule valid_;
  const ResultTypes* claimed_;  // null unless only the program is at hand
  std::vector<Interval> constant_bounds_;
  std::vector<bool> constant_used_;
  int64_t constant_elements_ = 0;
  int64_t constant_reads_ = 0;
  size_t current_ = 0;                         // the function under proof
  std::vector<FunctionSignature> signatures_;  // by number; of the functions after the current one
  std::vector<bool> function_used_;
  int64_t live_pairs_ = kMaxLivePairs;  // those that are left for the functions still to be placed
};

absl::StatusOr<ValidModule> Validate(Module module) { return Validator(std::move(module)).Run(); }

absl::StatusOr<ValidModule> ValidateProgram(Module program, size_t constants, const ResultTypes& claimed) {
  program.constants.assign(constants, TensorView());
  return Validator(std::move(program), &claimed).Run();
}

}  // namespace tally
