// The structs of a C interface as JavaScript finds them in memory. A row is a struct, whose field is "", or a
// field of the struct above it; the last row has neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tally::wasm {

struct LayoutRow {
  const char* name;  // the struct's or the field's
  uint32_t is_struct;
  uint32_t offset;   // a field's in its struct; a struct has its size here, in bytes
  const char* type;  // an element's: "i32", "u32", "i64", "u64", "u8" or "char"; pointers are u32
  uint32_t count;    // elements; 1 where the field is no array
};

template <typename Element>
constexpr const char* TypeName() {
  static_assert(sizeof(Element) == 8 || sizeof(Element) == 4 || sizeof(Element) == 1);
  if constexpr (std::is_same_v<Element, char>) return "char";
  if constexpr (sizeof(Element) == 1) return "u8";
  if constexpr (sizeof(Element) == 8) return std::is_signed_v<Element> ? "i64" : "u64";
  return std::is_signed_v<Element> ? "i32" : "u32";
}

template <typename Member>
constexpr LayoutRow FieldRow(const char* name, size_t offset) {
  using Element = std::remove_extent_t<Member>;
  return {name, 0, static_cast<uint32_t>(offset), TypeName<Element>(),
          static_cast<uint32_t>(sizeof(Member) / sizeof(Element))};
}

}  // namespace tally::wasm

#define TALLY_STRUCT(name) \
  tally::wasm::LayoutRow { #name, 1, sizeof(name), "", 1 }
#define TALLY_FIELD(name, field) tally::wasm::FieldRow<decltype(name::field)>(#field, offsetof(name, field))
#define TALLY_LAST_ROW \
  tally::wasm::LayoutRow {}
