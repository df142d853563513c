// Objects of libtally that Python holds.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "api/python/native/object.h"

namespace tally::python {

// An auditor, and the function of Python's that is its store, or null for a folder. The function is where
// libtally has been told that it is.
struct HeldAuditor {
  std::unique_ptr<Ref> store;
  Auditor auditor;
};

using Object = std::variant<Module, Plan, Key, PublicKey, Receipt, HeldAuditor>;

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
