#include "api/python/native/tensors.h"

#include <string>

namespace tally::python {
namespace {

// "b", "h", "i", "l" and "q" of the buffer protocol are storages; nothing else is.
int StorageOf(const Py_buffer& view) {
  const std::string format = view.format == nullptr ? "B" : view.format;
  const char code = format.size() == 2 && (format[0] == '<' || format[0] == '=' || format[0] == '@')
                        ? format[1]
                    : format.size() == 1 ? format[0]
                                         : '?';
  if (std::string("bhilq").find(code) == std::string::npos) return -1;
  return view.itemsize == 1   ? TALLY_I8
         : view.itemsize == 2 ? TALLY_I16
         : view.itemsize == 4 ? TALLY_I32
                              : TALLY_I64;
}

}  // namespace

Held::Held(PyObject* object, bool is_result, size_t number) {
  if (PyObject_GetBuffer(object, &view_, is_result ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) throw Raised();
  const int storage = StorageOf(view_);
  if (storage < 0 || view_.ndim > TALLY_MAX_RANK || view_.suboffsets != nullptr) {
    const std::string format = view_.format == nullptr ? "B" : view_.format;
    PyBuffer_Release(&view_);
    Raise(PyExc_TypeError,
          (is_result ? "result " : "input ") + std::to_string(number) +
              ": elements are signed integers of 8 to 64 bits in at most 8 dimensions, not '" + format + "'");
  }
  shape_.assign(view_.shape, view_.shape + view_.ndim);
  strides_.assign(view_.strides, view_.strides + view_.ndim);
  // The memory from the lowest element on: strides may be negative.
  int64_t first = 0, last = view_.itemsize;
  for (int axis = 0; axis < view_.ndim; ++axis) {
    const int64_t reach = strides_[axis] * (shape_[axis] - 1);
    (reach < 0 ? first : last) += reach;
  }
  tensor_.data = static_cast<char*>(view_.buf) + first;
  tensor_.bytes = static_cast<size_t>(last - first);
  tensor_.storage = storage;
  tensor_.rank = view_.ndim;
  tensor_.shape = shape_.data();
  tensor_.strides = strides_.data();
  tensor_.offset = static_cast<size_t>(-first);
}

HeldTensors::HeldTensors(PyObject* sequence, bool is_result) {
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) throw Raised();
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Ref object = Checked(PySequence_GetItem(sequence, i));
    held_.push_back(std::make_unique<Held>(object.get(), is_result, static_cast<size_t>(i)));
    tensors_.push_back(held_.back()->tensor());
  }
}

}  // namespace tally::python
