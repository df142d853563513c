#include "tests/vectors/broken_rules.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "tests/vectors/case_module.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int64_t kTensorHigh = (int64_t{1} << 47) - 1, kTensorLow = -(int64_t{1} << 47);
constexpr size_t kBases = 8, kEditsOfLabel = 3;

// A change in one place: an attribute, operands, or the module where it says which operands there are and
// what holds for all of them. `apply` is false where the case has no such place.
struct Edit {
  std::string name;
  std::function<bool(VectorCase&)> apply;
  int64_t attribute = -1;  // which one, or -1
  uint32_t operands = 0;   // bit 2 k for the shape of operand k, bit 2 k + 1 for its values
  bool constant = false;   // makes an operand a constant

  bool of_module() const { return attribute < 0 && operands == 0; }
};

// Neither can undo what the other does to the place that it changes.
bool AreApart(const Edit& a, const Edit& b) {
  if (a.of_module() || b.of_module()) return (a.attribute >= 0) != (b.attribute >= 0);
  return (a.operands & b.operands) == 0 && (a.attribute != b.attribute || a.attribute < 0);
}

void AddAttributeEdits(const OpInfo& op, std::vector<Edit>& edits) {
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    const AttrSpec& spec = op.attributes[i];
    const auto add = [&](const std::string& what, std::function<bool(AttrValue&)> change) {
      edits.push_back({absl::StrCat("attribute ", ToAbsl(spec.name), " ", what),
                       [i, change](VectorCase& test) { return change(test.attributes[i]); },
                       static_cast<int64_t>(i)});
    };
    std::vector<int64_t> values = {spec.lo, spec.hi, spec.lo - 1, spec.hi + 1, 0, 1, 7};
    // An enumeration and a boolean have no encoding of another value than theirs.
    if (spec.kind == AttrKind::kEnum || spec.kind == AttrKind::kBool) {
      values.resize(static_cast<size_t>(spec.hi) + 1);
      std::iota(values.begin(), values.end(), 0);
    }
    for (const int64_t value : values) {
      add(absl::StrCat("= ", value), [value](AttrValue& a) {
        if (a.empty()) return false;
        a[0] = value;
        return true;
      });
    }
    if (spec.kind != AttrKind::kList) continue;
    add("shorter", [](AttrValue& a) {
      if (a.empty()) return false;
      a.pop_back();
      return true;
    });
    add("longer", [](AttrValue& a) {
      a.push_back(a.empty() ? 1 : a.back());
      return true;
    });
    add("all largest", [hi = spec.hi](AttrValue& a) {
      std::fill(a.begin(), a.end(), hi);
      return !a.empty();
    });
  }
}

void AddOperandEdits(const VectorTensor& operand, size_t k, std::vector<Edit>& edits) {
  const uint32_t shape = uint32_t{1} << 2 * k, values = shape << 1;
  const auto add = [&](uint32_t places, const std::string& what, std::function<bool(VectorTensor&)> change) {
    edits.push_back(
        {absl::StrCat("operand ", k, " ", what),
         [k, change](VectorCase& test) { return k < test.operands.size() && change(test.operands[k]); }, -1,
         places});
  };
  const auto add_shape = [&](const std::string& what, std::function<void(std::vector<int64_t>&)> change) {
    add(operand.constant ? shape | values : shape, what, [change](VectorTensor& operand) {
      std::vector<int64_t> dims(operand.type.shape.dims().begin(), operand.type.shape.dims().end());
      change(dims);
      auto shape = Shape::Create(dims);
      if (!shape.ok() || *shape == operand.type.shape) return false;
      operand.type.shape = *shape;
      operand.constant = false;
      return true;
    });
  };
  add_shape("one axis more", [](std::vector<int64_t>& dims) { dims.push_back(1); });
  add_shape("a first axis of 3", [](std::vector<int64_t>& dims) { dims.insert(dims.begin(), 3); });
  add_shape("one axis less", [](std::vector<int64_t>& dims) {
    if (!dims.empty()) dims.pop_back();
  });
  for (size_t axis = 0; axis < 4; ++axis) {
    for (const int64_t dim : {int64_t{1}, int64_t{5}, int64_t{1} << 18, kMaxDim}) {
      add_shape(absl::StrCat("axis ", axis, " = ", dim), [axis, dim](std::vector<int64_t>& dims) {
        if (axis < dims.size()) dims[axis] = dim;
      });
    }
  }
  const auto add_interval = [&](const Interval& interval) {
    add(values, absl::StrCat("in ", interval.ToString()), [interval](VectorTensor& operand) {
      if (operand.constant) return false;
      operand.type.interval = interval;
      return true;
    });
  };
  for (const Interval& interval :
       {Interval{kTensorLow, kTensorHigh}, Interval{-7, -5}, Interval{0, 0}, Interval{0, int64_t{1} << 40},
        Interval{0, kTensorHigh + 1}, Interval{1, 0}}) {
    add_interval(interval);
  }
  add(values, "computed", [](VectorTensor& operand) { return std::exchange(operand.constant, false); });
  for (const int64_t value : {INT64_MAX, INT64_MIN, int64_t{-1}, int64_t{1} << 33}) {
    add(shape | values, absl::StrCat("a constant of ", value), [value](VectorTensor& operand) {
      const int64_t elements = operand.type.shape.num_elements();
      if (elements > 2048) return false;
      operand.tensor = *Tensor::FromValues(operand.type.shape, std::vector<int64_t>(elements, value));
      operand.type.interval = {value, value};
      operand.constant = true;
      return true;
    });
    edits.back().constant = true;
  }
}

std::vector<Edit> EditsOf(const OpInfo& op, const VectorCase& test) {
  std::vector<Edit> edits;
  AddAttributeEdits(op, edits);
  for (size_t k = 0; k < std::min<size_t>(test.operands.size(), 5); ++k)
    AddOperandEdits(test.operands[k], k, edits);
  // Each is a shape, what they broadcast to is none.
  for (size_t k = 0; k + 1 < test.operands.size(); ++k) {
    edits.push_back({absl::StrCat("operands ", k, " and ", k + 1, " of 2^62 elements"),
                     [k](VectorCase& t) {
                       if (k + 1 >= t.operands.size()) return false;
                       t.operands[k].type.shape = *Shape::Create({kMaxDim, 1});
                       t.operands[k + 1].type.shape = *Shape::Create({1, kMaxDim});
                       t.operands[k].constant = t.operands[k + 1].constant = false;
                       return true;
                     },
                     -1, uint32_t{0b101} << 2 * k});
  }
  edits.push_back({"an operand less", [](VectorCase& t) {
                     if (t.operands.empty()) return false;
                     t.operands.pop_back();
                     return true;
                   }});
  edits.push_back({"an operand more", [](VectorCase& t) {
                     if (t.operands.empty()) return false;
                     t.operands.push_back(t.operands.back());
                     return true;
                   }});
  edits.push_back({"profile cvm",
                   [](VectorCase& t) { return std::exchange(t.profile, Profile::kCvm) == Profile::kCore; }});
  return edits;
}

// The label of the module's bytes, or nothing when they do not say the same as the module.
std::optional<std::string> LabelOf(const Module& module) {
  const auto decoded = Decode(Encode(module));
  if (!decoded.ok() || !(*decoded == module)) return std::nullopt;
  return ErrorLabel(Validate(module).status());
}

// When docs/spec/validation.md checks what `label` says, which the edit has broken: lists are compared from
// the left.
using Check = std::vector<int64_t>;

Check CheckOf(const OpInfo& op, Profile profile, const std::string& label, const Edit& edit) {
  const auto position = [&](std::initializer_list<std::string_view> list) {
    const auto at = std::find(list.begin(), list.end(), label);
    return at == list.end() ? -1 : at - list.begin();
  };
  const int64_t operand = std::countr_zero(edit.operands) / 2;
  const std::string constraint = std::string(op.name) + "_c";
  if (label == "param_interval") return {0, operand, 0};
  if (label == "cvm_shape" && edit.attribute < 0) return {0, operand, 1};
  // An instruction `constant` that profile cvm refuses is before the one of the operator.
  if (label == "value_range" && edit.constant && profile == Profile::kCvm) return {1, operand};
  if (label == "value_range" && edit.of_module()) return {1, operand};
  if (const auto i = position({"profile_operator", "operand_count", "operand_undefined"}); i >= 0)
    return {2, i};
  if (label.starts_with("attribute_")) return {3, edit.attribute};
  if (const auto i = position({"function_reference", "call_depth", "constant_reads_limit"}); i >= 0)
    return {4, i};
  // The pages of the recurrent operators say so.
  if (label == "lstm_c9") return {5, 14, 1};
  if (label == "gru_c9") return {5, 11, 1};
  if (label.starts_with(constraint)) return {5, std::stoi(label.substr(constraint.size()))};
  if (label.starts_with("shape_")) return {6};
  if (const auto i =
          position({"accumulator_range", "value_range", "cvm_shape", "cvm_precision", "gas_limit_of_module"});
      i >= 0) {
    return {7, i};
  }
  return {8};
}

struct Broken {
  const Edit* edit;
  std::string label;
  Check check;
};

// The edits that break a rule of `base`, a few for each label and place.
std::vector<Broken> BreakOneRule(const OpInfo& op, const VectorCase& base, const std::vector<Edit>& edits) {
  std::vector<Broken> broken;
  std::map<std::tuple<std::string, int64_t, uint32_t>, size_t> count;
  for (const Edit& edit : edits) {
    VectorCase test = base;
    if (!edit.apply(test)) continue;
    const auto label = LabelOf(ModuleOfCase(op, test));
    if (!label || label->empty() || count[{*label, edit.attribute, edit.operands}]++ >= kEditsOfLabel)
      continue;
    broken.push_back({&edit, *label, CheckOf(op, test.profile, *label, edit)});
  }
  return broken;
}

}  // namespace

std::map<std::pair<std::string, std::string>, BrokenPair> BreakTwoRules(const OpInfo& op,
                                                                        std::span<const VectorCase> cases) {
  std::map<std::pair<std::string, std::string>, BrokenPair> pairs;
  size_t bases = 0;
  for (const VectorCase& base : cases) {
    if (!base.error.empty() || bases++ == kBases) continue;
    const std::vector<Edit> edits = EditsOf(op, base);
    const std::vector<Broken> broken = BreakOneRule(op, base, edits);
    for (size_t i = 0; i < broken.size(); ++i) {
      for (size_t j = i + 1; j < broken.size(); ++j) {
        if (!AreApart(*broken[i].edit, *broken[j].edit) || broken[i].check == broken[j].check) continue;
        const bool in_order = broken[i].check < broken[j].check;
        const Broken &first = broken[in_order ? i : j], &second = broken[in_order ? j : i];
        VectorCase test = base;
        if (first.label == second.label || !first.edit->apply(test) || !second.edit->apply(test)) continue;
        Module module = ModuleOfCase(op, test);
        const auto label = LabelOf(module);
        if (!label) continue;
        BrokenPair& pair = pairs[{first.label, second.label}];
        if (++pair.labels[*label] > 1 || *label != first.label) continue;
        pair.name = absl::StrCat(first.edit->name, ", ", second.edit->name);
        pair.module = std::move(module);
      }
    }
  }
  return pairs;
}

}  // namespace tally
