#include "vm/text/assembler.h"

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/limits.h"
#include "vm/metadata_rules.h"
#include "vm/text/assemble_constant.h"
#include "vm/text/assemble_instruction.h"
#include "vm/text/labels.h"
#include "vm/text/token_reader.h"

namespace tally {
namespace {

class Assembler {
 public:
  explicit Assembler(std::string_view text) : reader_(text) {}

  absl::StatusOr<Module> Run() && {
    RETURN_IF_ERROR(reader_.Start());
    RETURN_IF_ERROR(ReadHeader());
    module_.functions.emplace_back();
    while (!reader_.At(TokenKind::kEnd)) {
      RETURN_IF_ERROR(ReadStatement());
      RETURN_IF_ERROR(reader_.TakeStatementEnd());
    }
    RETURN_IF_ERROR(CheckDefinitions());
    module_.constants = std::move(constants_.views);
    module_.recipes = std::move(constants_.recipes);
    module_.backing = std::make_shared<const std::deque<Tensor>>(std::move(constants_.tensors));
    return std::move(module_);
  }

 private:
  // The function that statements belong to.
  Function& function() { return module_.functions.back(); }
  bool in_entry() const { return module_.functions.size() == 1; }

  absl::Status ReadHeader() {
    RETURN_IF_ERROR(reader_.TakeWord("tally"));
    ASSIGN_OR_RETURN(const int64_t version, reader_.TakeInteger({0, std::numeric_limits<uint32_t>::max()}));
    module_.spec_version = static_cast<uint32_t>(version);
    RETURN_IF_ERROR(reader_.TakeStatementEnd());
    RETURN_IF_ERROR(reader_.TakeWord("profile"));
    const Token at = reader_.current();
    ASSIGN_OR_RETURN(const std::string_view name, reader_.TakeAnyWord("the name of a profile"));
    const std::optional<Profile> profile = ParseProfile(name);
    if (!profile.has_value())
      return reader_.ErrorAt(at, label::text_profile, "the profiles are cvm and core");
    module_.profile = *profile;
    return reader_.TakeStatementEnd();
  }

  absl::Status ReadStatement() {
    if (reader_.AtWord("param")) return ReadParam();
    if (reader_.AtWord("result")) return ReadResult();
    if (reader_.AtWord("data")) return ReadData();
    if (reader_.AtWord("function")) return ReadFunction();
    if (reader_.At(TokenKind::kValue)) return ReadInstruction();
    return reader_.Error(label::text_syntax,
                         "a statement starts with param, data, result, function or a value");
  }

  // function 1
  absl::Status ReadFunction() {
    RETURN_IF_ERROR(reader_.TakeWord("function"));
    const Token at = reader_.current();
    ASSIGN_OR_RETURN(const int64_t number, reader_.TakeInteger(kAnyInt64));
    RETURN_IF_ERROR(CheckRoom(module_.functions.size(), kMaxFunctions));
    if (number != static_cast<int64_t>(module_.functions.size())) {
      return reader_.ErrorAt(at, label::text_value_id,
                             absl::StrCat("the function that begins here is ", module_.functions.size()));
    }
    module_.functions.emplace_back();
    next_value_ = 0;
    return absl::OkStatus();
  }

  // param %0 "image" [1,1,8,8] in [0, 16] scale 1*2^-4 zero 0; without name and scale after the entry
  absl::Status ReadParam() {
    if (!function().body.empty() || !function().results.empty()) {
      return reader_.Error(label::text_order, "parameters come before instructions and results");
    }
    RETURN_IF_ERROR(CheckRoom(function().params.size(), kMaxParams));
    RETURN_IF_ERROR(reader_.TakeWord("param"));
    RETURN_IF_ERROR(TakeDefinition(reader_, next_value_));
    ++next_value_;
    std::string name;
    if (in_entry()) {
      ASSIGN_OR_RETURN(name, TakeName());
    }
    TensorType type;
    ASSIGN_OR_RETURN(type.shape, TakeShape(reader_));
    RETURN_IF_ERROR(reader_.TakeWord("in"));
    RETURN_IF_ERROR(reader_.TakeSymbol("["));
    ASSIGN_OR_RETURN(type.interval.lo, reader_.TakeInteger(kAnyInt64));
    RETURN_IF_ERROR(reader_.TakeSymbol(","));
    ASSIGN_OR_RETURN(type.interval.hi, reader_.TakeInteger(kAnyInt64));
    RETURN_IF_ERROR(reader_.TakeSymbol("]"));
    function().params.push_back(type);
    if (!in_entry()) return absl::OkStatus();
    return TakeQuantization(std::move(name), module_.metadata.params);
  }

  // %2 = broadcast_add %0, %1
  absl::Status ReadInstruction() {
    if (!function().results.empty())
      return reader_.Error(label::text_order, "instructions come before results");
    RETURN_IF_ERROR(CheckRoom(function().body.size(), kMaxInstructions));
    ASSIGN_OR_RETURN(AssembledInstruction assembled, AssembleInstruction(reader_, next_value_, constants_));
    next_value_ += static_cast<ValueId>(assembled.definitions);
    if (InfoOf(assembled.instruction.op).results == kResultsOfFunction) {
      unchecked_.push_back(
          {module_.functions.size() - 1, function().body.size(), assembled.definitions, assembled.start});
    }
    function().body.push_back(std::move(assembled.instruction));
    return absl::OkStatus();
  }

  // result %2 "probabilities" scale 1*2^-8 zero 0
  absl::Status ReadResult() {
    RETURN_IF_ERROR(CheckRoom(function().results.size(), kMaxResults));
    RETURN_IF_ERROR(reader_.TakeWord("result"));
    ASSIGN_OR_RETURN(const ValueId value, reader_.TakeValue());
    function().results.push_back(value);
    if (!in_entry()) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::string name, TakeName());
    return TakeQuantization(std::move(name), module_.metadata.results);
  }

  // data i8 [2,3] {1, 2, 3, 4, 5, 6}
  absl::Status ReadData() {
    RETURN_IF_ERROR(reader_.TakeWord("data"));
    return AssembleConstant(reader_, constants_);
  }

  // A function is named before it is written, so how many results it has is known at the end.
  absl::Status CheckDefinitions() const {
    for (const Unchecked& u : unchecked_) {
      const int results = NumResults(module_, module_.functions[u.function].body[u.position]);
      if (results != u.definitions) {
        return reader_.ErrorAt(u.start, label::text_result_count,
                               absl::StrCat("the instruction has ", results, " results"));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> TakeName() {
    const Token at = reader_.current();
    ASSIGN_OR_RETURN(std::string name, reader_.TakeString());
    if (name.size() > static_cast<size_t>(kMaxNameBytes) || !IsPrintableUtf8(name)) {
      return reader_.ErrorAt(at, label::text_name, "a name has at most 256 bytes of printable UTF-8");
    }
    return name;
  }

  absl::Status TakeQuantization(std::string name, std::vector<ValueInfo>& infos) {
    ValueInfo info{std::move(name), {}};
    if (reader_.AtWord("scale")) {
      ASSIGN_OR_RETURN(info.quantization, TakeScaleAndZero());
    }
    infos.push_back(std::move(info));
    return absl::OkStatus();
  }

  absl::StatusOr<Quantization> TakeScaleAndZero() {
    Quantization quantization;
    RETURN_IF_ERROR(reader_.TakeWord("scale"));
    ASSIGN_OR_RETURN(quantization.multiplier, reader_.TakeInteger(kAnyInt64));
    RETURN_IF_ERROR(reader_.TakeSymbol("*"));
    RETURN_IF_ERROR(reader_.TakeInteger({2, 2}).status());
    RETURN_IF_ERROR(reader_.TakeSymbol("^"));
    ASSIGN_OR_RETURN(quantization.shift, reader_.TakeNegatedInteger());
    RETURN_IF_ERROR(reader_.TakeWord("zero"));
    ASSIGN_OR_RETURN(quantization.zero_point, reader_.TakeInteger(kAnyInt64));
    return quantization;
  }

  absl::Status CheckRoom(size_t count, int64_t limit) const {
    if (static_cast<int64_t>(count) < limit) return absl::OkStatus();
    return reader_.Error(label::text_limit, absl::StrCat("a module has at most ", limit, " of these"));
  }

  // An instruction with the results of a function.
  struct Unchecked {
    size_t function, position;
    int definitions;
    Token start;
  };

  TokenReader reader_;
  Module module_;
  AssembledConstants constants_;
  ValueId next_value_ = 0;
  std::vector<Unchecked> unchecked_;
};

}  // namespace

absl::StatusOr<Module> Assemble(std::string_view text) { return Assembler(text).Run(); }

}  // namespace tally
