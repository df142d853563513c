// Auditors, whose store may be a function of Python's.
#include <cstdint>
#include <memory>
#include <string>

#include "api/python/native/findings.h"
#include "api/python/native/functions.h"
#include "api/python/native/handle.h"
#include "api/python/native/tensors.h"

namespace tally::python {

Ref About(const tally_finding& finding) {
  const std::pair<uint32_t, const char*> names[] = {{TALLY_COMPARED_MODULE, "module"},
                                                    {TALLY_COMPARED_INPUTS, "inputs"},
                                                    {TALLY_COMPARED_RESULTS, "results"},
                                                    {TALLY_COMPARED_TRACE, "trace"},
                                                    {TALLY_COMPARED_CERTIFICATE, "certificate"}};
  const Ref compared = Checked(PyList_New(0));
  for (const auto& [bit, name] : names) {
    if ((finding.compared & bit) != 0 && PyList_Append(compared.get(), Text(name).get()) != 0) throw Raised();
  }
  return Tuple(Text(finding.word), Text(finding.label), Text(finding.message), Boolean(finding.holds == 1),
               Checked(PyList_AsTuple(compared.get())), Boolean(finding.may_pass == 1));
}

namespace {

// The lock of the interpreter is held while this lives: for threads that have given it up.
class WithLock {
 public:
  WithLock() : state_(PyGILState_Ensure()) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

 private:
  PyGILState_STATE state_;
};

// The exception that is set, as text for `object`; it is set no more.
void Explain(tally_object* object) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const Ref held[] = {Ref(type), Ref(value), Ref(trace)};
  const Ref text(PyObject_Repr(value != nullptr ? value : type));
  const Ref bytes(text.get() == nullptr ? nullptr : PyUnicode_AsUTF8String(text.get()));
  const char* const said = bytes.get() == nullptr ? nullptr : PyBytes_AsString(bytes.get());
  tally_object_explain(object, said == nullptr ? "an exception without a text" : said);
  PyErr_Clear();
}

// Asks the function: bytes, or None where it has no such object. An exception says that the store has failed.
tally_status GetFromPython(void* user, const char* name, tally_object* object) {
  const WithLock held;
  try {
    const Ref given = Checked(PyObject_CallFunction(static_cast<PyObject*>(user), "s", name));
    if (given.get() == Py_None) return TALLY_NOT_FOUND;
    const Memory memory(given.get(), false);
    tally_object_set(object, memory.data(), memory.size());
    return TALLY_OK;
  } catch (...) {
    SetExceptionOfPython();
    Explain(object);
    return TALLY_UNAVAILABLE;
  }
}

Ref MakeAuditor(PyObject* args) {
  PyObject* store = nullptr;
  const char *engine = nullptr, *level = nullptr;
  int threads = 0, products = 0;
  long long gas_limit = 0, memory_limit = 0, kept_bytes = 0;
  Arguments(args, "OssiLLLp", &store, &engine, &level, &threads, &gas_limit, &memory_limit, &kept_bytes,
            &products);
  tally_auditor_options options = {};
  options.engine = engine;
  options.level = level;
  options.threads = threads;
  options.gas_limit = gas_limit;
  options.memory_limit = memory_limit;
  options.kept_bytes = kept_bytes;
  options.products = products;
  std::unique_ptr<Ref> held;
  if (PyBytes_Check(store)) {
    options.folder = PyBytes_AsString(store);
  } else {
    held = std::make_unique<Ref>(Py_NewRef(store));
    options.get = &GetFromPython;
    options.user = store;
  }
  return HandleOf(HeldAuditor{std::move(held), Auditor(options)});
}

Ref Audit(PyObject* args) {
  PyObject *auditor = nullptr, *receipt = nullptr, *key = nullptr;
  Arguments(args, "OOO", &auditor, &receipt, &key);
  const Auditor& asked = In<HeldAuditor>(auditor).auditor;
  const Receipt& claim = In<Receipt>(receipt);
  const PublicKey* const trusted = key == Py_None ? nullptr : &In<PublicKey>(key);
  const auto run = [&] {
    const WithoutLock released;
    return asked.Audit(claim, trusted);
  };
  const auto [standing, found] = run();
  return Tuple(About(standing), About(found));
}

// (finding, the trace of the run or None)
Ref AuditClaim(PyObject* args) {
  PyObject* auditor = nullptr;
  const char* claim = nullptr;
  Py_ssize_t size = 0;
  int traced = 0;
  Arguments(args, "Oy#p", &auditor, &claim, &size, &traced);
  const Auditor& asked = In<HeldAuditor>(auditor).auditor;
  const std::string bytes(claim, static_cast<size_t>(size));
  const auto run = [&] {
    const WithoutLock released;
    return asked.AuditClaim(bytes, traced != 0);
  };
  const auto [found, trace] = run();
  return Tuple(About(found), trace ? BytesOf(*trace) : None());
}

}  // namespace

const std::vector<PyMethodDef>& AuditFunctions() {
  static const std::vector<PyMethodDef> functions = {
      Method<MakeAuditor>("make_auditor"), Method<Audit>("audit"), Method<AuditClaim>("audit_claim")};
  return functions;
}

}  // namespace tally::python
