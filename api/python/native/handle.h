// Objects of libtally that Python holds.
#pragma once

#include <utility>
#include <variant>

#include "api/python/native/object.h"

namespace tally::python {

using Object = std::variant<Module, Plan, Key, PublicKey, Receipt>;

// Makes the type Handle; at the start of the module, once.
void MakeHandleType(PyObject* module);

Ref HandleOf(Object object);

// The object in a Handle; throws Raised (TypeError) where `handle` is another object.
const Object& ObjectIn(PyObject* handle);
[[noreturn]] void RaiseWrongHandle(PyObject* handle);

template <typename T>
const T& In(PyObject* handle) {
  const T* const object = std::get_if<T>(&ObjectIn(handle));
  if (object == nullptr) RaiseWrongHandle(handle);
  return *object;
}

}  // namespace tally::python
