#include "api/python/native/handle.h"

#include <array>

namespace tally::python {
namespace {

struct Handle {
  PyObject head;
  Object* object;
};

PyTypeObject* handle_type = nullptr;

void Free(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<Handle*>(self)->object;
  PyObject_Free(self);
  Py_DECREF(type);  // each object of a type that was made in a heap holds it
}

}  // namespace

void MakeHandleType(PyObject* module) {
  static std::array<PyType_Slot, 2> slots = {{{Py_tp_dealloc, reinterpret_cast<void*>(&Free)}, {0, nullptr}}};
  static PyType_Spec spec = {
      "tally._native.Handle", sizeof(Handle), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots.data()};
  if (handle_type == nullptr)
    handle_type = reinterpret_cast<PyTypeObject*>(Checked(PyType_FromSpec(&spec)).release());
  if (PyModule_AddObjectRef(module, "Handle", reinterpret_cast<PyObject*>(handle_type)) != 0) throw Raised();
}

Ref HandleOf(Object object) {
  auto* const handle = PyObject_New(Handle, handle_type);
  if (handle == nullptr) throw Raised();
  handle->object = nullptr;
  Ref owned(reinterpret_cast<PyObject*>(handle));
  handle->object = new Object(std::move(object));
  return owned;
}

const Object& ObjectIn(PyObject* handle) {
  if (Py_TYPE(handle) != handle_type) RaiseWrongHandle(handle);
  return *reinterpret_cast<Handle*>(handle)->object;
}

void RaiseWrongHandle(PyObject* handle) {
  const Ref name = Checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(handle)), "__name__"));
  PyErr_Format(PyExc_TypeError, "expected another kind of tally object, found %U", name.get());
  throw Raised();
}

}  // namespace tally::python
