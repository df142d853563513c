// The functions of tally._native, by area.
#pragma once

#include <vector>

#include "api/python/native/object.h"

namespace tally::python {

// A row of the table of a module: `function` takes the tuple of arguments.
template <Ref (*function)(PyObject* args)>
PyMethodDef Method(const char* name) {
  return {name, [](PyObject*, PyObject* args) { return ToPython([&] { return function(args); }); },
          METH_VARARGS, nullptr};
}

const std::vector<PyMethodDef>& ModuleFunctions();
const std::vector<PyMethodDef>& ReceiptFunctions();
const std::vector<PyMethodDef>& AuditFunctions();

}  // namespace tally::python
