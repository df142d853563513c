// Attributes of an instruction: typed structs for operators, one generic form for everything else.
//
//   struct ConcatenateAttrs {
//     int64_t axis = 0;
//     static constexpr auto Fields() { return std::tuple(IntField("axis", &ConcatenateAttrs::axis, -8, 7)); }
//   };
//   Attributes packed = Pack(ConcatenateAttrs{.axis = 1});          // carried by an Instruction
//   const auto attrs = Unpack<ConcatenateAttrs>(packed);            // read by a rule
//
// From Fields() come the schema in the operator table, and with it the codec, the printer, the assembler, the
// generators and the documents. The order of the fields is the order of the encoding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"

namespace tally {

inline constexpr int64_t kMaxAttributeList = 4096;  // longest list attribute; bounds what a decoder allocates

// kFunction: the number of a function of the module; everything else of an integer.
enum class AttrKind : uint8_t { kInt, kBool, kEnum, kList, kFunction };

struct AttrSpec {
  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  int64_t lo = 0;  // closed range of the value, or of each element of a list
  int64_t hi = 0;
  int64_t min_length = 1;  // kList only; an optional integer is a list of length 0 or 1
  int64_t max_length = 1;
  std::span<const std::string_view> names = {};  // kEnum only: names[value]
};

// One attribute: a scalar is a list of one.
using AttrValue = std::vector<int64_t>;
// All attributes of an instruction, in schema order.
using Attributes = std::vector<AttrValue>;

// Errors: attribute_count, attribute_length, attribute_range; the message names the attribute.
absl::Status CheckAttributes(std::span<const AttrSpec> schema, const Attributes& attributes);

// Calls visit(number) for each function that `attributes` name, in order; a visitor that takes a reference
// may change it. `attributes` need not have passed CheckAttributes.
template <typename AnyAttributes, typename Visit>
void ForEachFunction(std::span<const AttrSpec> schema, AnyAttributes& attributes, const Visit& visit) {
  for (size_t i = 0; i < std::min(schema.size(), attributes.size()); ++i) {
    if (schema[i].kind == AttrKind::kFunction && attributes[i].size() == 1) visit(attributes[i][0]);
  }
}

template <typename Struct, typename T>
struct AttrField {
  AttrSpec spec;
  T Struct::*member;
};

template <typename Struct>
constexpr auto IntField(std::string_view name, int64_t Struct::*member, int64_t lo, int64_t hi) {
  return AttrField<Struct, int64_t>{{name, AttrKind::kInt, lo, hi}, member};
}
template <typename Struct>
constexpr auto BoolField(std::string_view name, bool Struct::*member) {
  return AttrField<Struct, bool>{{name, AttrKind::kBool, 0, 1}, member};
}
template <typename Struct, typename Enum>
constexpr auto EnumField(std::string_view name, Enum Struct::*member,
                         std::span<const std::string_view> names) {
  return AttrField<Struct, Enum>{
      {name, AttrKind::kEnum, 0, static_cast<int64_t>(names.size()) - 1, 1, 1, names}, member};
}
template <typename Struct>
constexpr auto FunctionField(std::string_view name, int64_t Struct::*member) {
  return AttrField<Struct, int64_t>{{name, AttrKind::kFunction, 1, std::numeric_limits<int32_t>::max()},
                                    member};
}
template <typename Struct>
constexpr auto ListField(std::string_view name, std::vector<int64_t> Struct::*member, int64_t lo, int64_t hi,
                         int64_t min_length, int64_t max_length) {
  return AttrField<Struct, std::vector<int64_t>>{{name, AttrKind::kList, lo, hi, min_length, max_length},
                                                 member};
}

struct NoAttrs {
  static constexpr auto Fields() { return std::tuple<>(); }
};

// The schema of an attribute struct, with static lifetime.
template <typename Struct>
struct AttrSchema {
  static constexpr auto kSpecs =
      std::apply([](const auto&... field) { return std::array<AttrSpec, sizeof...(field)>{field.spec...}; },
                 Struct::Fields());
};

template <typename Struct>
Attributes Pack(const Struct& attrs) {
  [[maybe_unused]] const auto pack = [&](const auto& field) {
    const auto& value = attrs.*field.member;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<int64_t>>) {
      return AttrValue(value);
    } else {
      return AttrValue{static_cast<int64_t>(value)};
    }
  };
  return std::apply([&](const auto&... field) { return Attributes{pack(field)...}; }, Struct::Fields());
}

// `attributes` must have passed CheckAttributes against the schema of Struct.
template <typename Struct>
Struct Unpack(const Attributes& attributes) {
  Struct attrs;
  [[maybe_unused]] size_t i = 0;
  [[maybe_unused]] const auto unpack = [&](const auto& field) {
    auto& value = attrs.*field.member;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<int64_t>>) {
      value = attributes[i++];
    } else {
      value = static_cast<std::decay_t<decltype(value)>>(attributes[i++][0]);
    }
  };
  std::apply([&](const auto&... field) { (unpack(field), ...); }, Struct::Fields());
  return attrs;
}

}  // namespace tally
