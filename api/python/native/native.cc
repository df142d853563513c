// tally._native: libtally for the package tally, as functions on handles, with tensors by the buffer
// protocol.
//
// Calls that take long run without the lock of the interpreter. Floats and names are Python's part (tally/).
#include <span>
#include <vector>

#include "api/python/native/functions.h"
#include "api/python/native/handle.h"
#include "api/python/native/tensors.h"
#include "api/python/quantize_reals.h"

namespace tally::python {
namespace {

Ref Version(PyObject* args) {
  Arguments(args, "");
  return Text(tally_version());
}

Ref Engines(PyObject* args) {
  Arguments(args, "");
  Ref engines = Checked(PyList_New(0));
  tally_engine_info info = {};
  info.size = sizeof info;
  for (size_t i = 0; tally_engine(i, &info, nullptr) == TALLY_OK; ++i) {
    const Ref engine = Tuple(Text(info.name), Text(info.summary), Boolean(info.available == 1));
    if (PyList_Append(engines.get(), engine.get()) != 0) throw Raised();
  }
  return engines;
}

Ref TensorDigest(PyObject* args) {
  PyObject* tensor = nullptr;
  Arguments(args, "O", &tensor);
  const Held held(tensor, false, 0);
  return BytesOf(DigestOf(held.tensor()));
}

// Doubles as the integers of a grid within an interval, into as many integers of 64 bits.
Ref Quantize(PyObject* args) {
  PyObject *reals = nullptr, *codes = nullptr;
  long long multiplier = 0, shift = 0, zero_point = 0, lowest = 0, highest = 0;
  Arguments(args, "OOLLLLL", &reals, &codes, &multiplier, &shift, &zero_point, &lowest, &highest);
  const Memory from(reals, false), to(codes, true);
  if (from.size() != to.size()) Raise(PyExc_ValueError, "as many integers as doubles are needed");
  const size_t count = from.size() / sizeof(double);
  QuantizeReals({static_cast<const double*>(from.data()), count}, multiplier, shift, zero_point, lowest,
                highest, {static_cast<int64_t*>(to.data()), count});
  return None();
}

// The table that Python keeps: all functions and an end.
PyMethodDef* Table() {
  static std::vector<PyMethodDef> table = [] {
    std::vector<PyMethodDef> all = {Method<Version>("version"), Method<Engines>("engines"),
                                    Method<TensorDigest>("tensor_digest"), Method<Quantize>("quantize")};
    for (const auto* functions : {&ModuleFunctions(), &ReceiptFunctions(), &AuditFunctions()})
      all.insert(all.end(), functions->begin(), functions->end());
    all.push_back({nullptr, nullptr, 0, nullptr});
    return all;
  }();
  return table.data();
}

}  // namespace
}  // namespace tally::python

PyMODINIT_FUNC PyInit__native() {
  using namespace tally::python;
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "_native",
                                   "libtally for the package tally, which is what to use.",
                                   -1,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  return ToPython([] {
    definition.m_methods = Table();
    Ref module = Checked(PyModule_Create(&definition));
    MakeHandleType(module.get());
    return module;
  });
}
