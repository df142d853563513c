// Attributes of a call read in place: unpacking a struct with lists would allocate.
//
//   AttrList(call, &PoolAttrs::kernel);  // a span
//   AttrOf(call, &PoolAttrs::ceil_mode);
#pragma once

#include <span>
#include <tuple>
#include <type_traits>

#include "ops/attributes.h"

namespace tally {

template <typename Struct, typename Call, typename T, typename Base>
const AttrValue& AttrValueOf(const Call& call, T Base::*member) {
  size_t index = 0, i = 0;
  const auto visit = [&](const auto& field) {
    if constexpr (std::is_convertible_v<decltype(field.member), T Struct::*>) {
      if (static_cast<T Struct::*>(field.member) == static_cast<T Struct::*>(member)) index = i;
    }
    ++i;
  };
  std::apply([&](const auto&... field) { (visit(field), ...); }, Struct::Fields());
  return (*call.attributes)[index];
}

// `call` is a KernelCall or KernelFacts. Struct is named where the member is inherited.
template <typename Struct, typename Call, typename Base>
std::span<const int64_t> AttrList(const Call& call, std::vector<int64_t> Base::*member) {
  return AttrValueOf<Struct>(call, member);
}
template <typename Struct, typename Call, typename T, typename Base>
T AttrOf(const Call& call, T Base::*member) {
  return static_cast<T>(AttrValueOf<Struct>(call, member)[0]);
}

}  // namespace tally
