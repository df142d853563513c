// Tensors where objects of Python's have them, by the buffer protocol.
#pragma once

#include <memory>
#include <vector>

#include "api/python/native/object.h"

namespace tally::python {

// The memory of one, held while this lives. Throws Raised: TypeError where the elements are not signed
// integers in at most 8 dimensions; BufferError or ValueError where a result cannot be written to.
class Held {
 public:
  Held(PyObject* object, bool is_result, size_t number);
  ~Held() { PyBuffer_Release(&view_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  const tally_tensor& tensor() const { return tensor_; }

 private:
  Py_buffer view_ = {};
  std::vector<int64_t> shape_, strides_;
  tally_tensor tensor_ = {};
};

// Those of a sequence, as functions of tally.h take them.
class HeldTensors {
 public:
  HeldTensors(PyObject* sequence, bool is_result);
  const std::vector<tally_tensor>& get() const { return tensors_; }

 private:
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<tally_tensor> tensors_;
};

// Contiguous memory of any elements, which may be null where there are none.
class Memory {
 public:
  Memory(PyObject* object, bool is_written) {
    if (PyObject_GetBuffer(object, &view_, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw Raised();
  }
  ~Memory() { PyBuffer_Release(&view_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_ = {};
};

}  // namespace tally::python
