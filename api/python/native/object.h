// Python objects within the stable interface (Py_LIMITED_API of 3.11): one library serves this version and
// later ones. Errors are exceptions of C++ until a function returns to Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tally.hpp>
#include <utility>

namespace tally::python {

// Thrown where Python has an exception set.
struct Raised {};

// Sets an exception of Python and throws Raised.
[[noreturn]] void Raise(PyObject* type, const std::string& message);

// A reference that is given up at the end of its scope.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

// Takes the result of a function of Python's; throws Raised where it is null.
inline Ref Checked(PyObject* owned) {
  if (owned == nullptr) throw Raised();
  return Ref(owned);
}

inline Ref None() { return Ref(Py_NewRef(Py_None)); }
inline Ref Boolean(bool value) { return Ref(Py_NewRef(value ? Py_True : Py_False)); }
inline Ref Integer(int64_t value) { return Checked(PyLong_FromLongLong(value)); }
// Names of a module may be any bytes.
inline Ref Text(std::string_view text) {
  return Checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}
inline Ref Bytes(const uint8_t* bytes, size_t size) {
  return Checked(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes), static_cast<Py_ssize_t>(size)));
}
inline Ref BytesOf(const Digest& digest) { return Bytes(digest.data(), digest.size()); }

template <typename... Refs>
Ref Tuple(const Refs&... parts) {
  return Checked(PyTuple_Pack(sizeof...(parts), parts.get()...));
}

// A dict, filled one key at a time.
class Dict {
 public:
  Dict() : dict_(Checked(PyDict_New())) {}
  void Set(const char* key, const Ref& value) {
    if (PyDict_SetItemString(dict_.get(), key, value.get()) != 0) throw Raised();
  }
  Ref Take() { return std::move(dict_); }

 private:
  Ref dict_;
};

// The lock of the interpreter is free while this lives: no object of Python's may be touched.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(state_); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

// Makes the exception of Python that is being handled in C++; for a `catch (...)`.
void SetExceptionOfPython() noexcept;

// The result of `function`, or null with an exception set.
template <typename Function>
PyObject* ToPython(const Function& function) noexcept {
  try {
    return function().release();
  } catch (...) {
    SetExceptionOfPython();
    return nullptr;
  }
}

// The arguments of a call, as PyArg_ParseTuple reads them.
template <typename... Places>
void Arguments(PyObject* args, const char* format, Places... places) {
  if (PyArg_ParseTuple(args, format, places...) == 0) throw Raised();
}

}  // namespace tally::python
