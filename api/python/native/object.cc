#include "api/python/native/object.h"

#include <exception>
#include <new>

namespace tally::python {
namespace {

// tally.errors.make(status, stage, label, message), which chooses the class by the stage.
void SetRefusal(const Error& error) {
  const Ref errors = Checked(PyImport_ImportModule("tally.errors"));
  const Ref make = Checked(PyObject_GetAttrString(errors.get(), "make"));
  const Ref made = Checked(PyObject_CallFunctionObjArgs(make.get(), Integer(error.status()).get(),
                                                        Text(error.stage()).get(), Text(error.label()).get(),
                                                        Text(error.what()).get(), nullptr));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
}

}  // namespace

void Raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw Raised();
}

void SetExceptionOfPython() noexcept {
  try {
    throw;
  } catch (const Raised&) {
  } catch (const Error& error) {
    try {
      SetRefusal(error);
    } catch (...) {  // Python says why
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& exception) {
    PyErr_SetString(PyExc_RuntimeError, exception.what());
  }
}

}  // namespace tally::python
