// tally._native: the objects of tally.hpp for Python, tensors by the buffer protocol.
//
// What takes long runs without the lock of the interpreter. Floats and names are Python's part (tally/).
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tally.hpp>
#include <vector>

#include "api/python/quantize_reals.h"

namespace py = pybind11;

namespace {

// tally.Error(status, stage, label, message), in tally/errors.py, which chooses the class by the stage.
void Raise(const tally::Error& error) {
  const py::object make = py::module_::import("tally.errors").attr("make");
  const py::object made = make(
      error.status(), error.stage(), error.label(),
      py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
          error.what(), static_cast<Py_ssize_t>(std::char_traits<char>::length(error.what())), "replace")));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

py::bytes BytesOf(const uint8_t* digest) { return {reinterpret_cast<const char*>(digest), 32}; }
py::bytes BytesOf(const tally::Digest& digest) { return BytesOf(digest.data()); }

tally::Digest DigestOf(const std::string& bytes) {
  if (bytes.size() != 32) throw py::value_error("a digest has 32 bytes, not " + std::to_string(bytes.size()));
  tally::Digest digest;
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

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

// A tensor where an object of Python's has it, held while this lives.
class Held {
 public:
  Held(const py::handle& object, bool is_result, size_t number) {
    const int flags = is_result ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw py::error_already_set();
    const int storage = StorageOf(view_);
    if (storage < 0 || view_.ndim > TALLY_MAX_RANK || view_.suboffsets != nullptr) {
      const std::string format = view_.format == nullptr ? "B" : view_.format;
      PyBuffer_Release(&view_);
      throw py::type_error((is_result ? "result " : "input ") + std::to_string(number) +
                           ": elements are signed integers of 8 to 64 bits in at most 8 dimensions, not '" +
                           format + "'");
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
  ~Held() { PyBuffer_Release(&view_); }
  Held(const Held&) = delete;

  const tally_tensor& tensor() const { return tensor_; }

 private:
  Py_buffer view_ = {};
  std::vector<int64_t> shape_, strides_;
  tally_tensor tensor_ = {};
};

// Several of them, as functions of tally.h take them.
class HeldTensors {
 public:
  HeldTensors(const py::sequence& objects, bool is_result) {
    for (size_t i = 0; i < objects.size(); ++i) {
      held_.push_back(std::make_unique<Held>(objects[i], is_result, i));
      tensors_.push_back(held_.back()->tensor());
    }
  }
  const std::vector<tally_tensor>& get() const { return tensors_; }

 private:
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<tally_tensor> tensors_;
};

// Reals as the integers of a grid within an interval, in 64 bits.
py::array_t<int64_t> Quantize(const py::array_t<double, py::array::c_style | py::array::forcecast>& reals,
                              int64_t multiplier, int64_t shift, int64_t zero_point, int64_t lowest,
                              int64_t highest) {
  py::array_t<int64_t> codes(std::vector<py::ssize_t>(reals.shape(), reals.shape() + reals.ndim()));
  const auto size = static_cast<size_t>(reals.size());
  tally::python::QuantizeReals({reals.data(), size}, multiplier, shift, zero_point, lowest, highest,
                               {codes.mutable_data(), size});
  return codes;
}

py::dict DictOf(const tally_value_info& info) {
  py::dict value;
  value["name"] = info.name;
  value["shape"] = py::tuple(py::cast(std::vector<int64_t>(info.shape, info.shape + info.rank)));
  value["dtype"] = "int" + std::to_string(8 << info.storage);
  value["interval"] = py::make_tuple(info.lowest, info.highest);
  value["grid"] = info.has_grid == 1
                      ? py::object(py::make_tuple(info.multiplier, info.shift, info.zero_point))
                      : py::object(py::none());
  return value;
}

py::tuple TupleOf(const tally_finding& finding) {
  const std::pair<uint32_t, const char*> names[] = {{TALLY_COMPARED_MODULE, "module"},
                                                    {TALLY_COMPARED_INPUTS, "inputs"},
                                                    {TALLY_COMPARED_RESULTS, "results"},
                                                    {TALLY_COMPARED_TRACE, "trace"},
                                                    {TALLY_COMPARED_CERTIFICATE, "certificate"}};
  py::list compared;
  for (const auto& [bit, name] : names) {
    if ((finding.compared & bit) != 0) compared.append(name);
  }
  return py::make_tuple(finding.word, finding.label, finding.message, finding.holds == 1,
                        py::tuple(compared));
}

tally_run_options RunOptions(int64_t gas_limit, int64_t memory_limit, bool check) {
  tally_run_options options = {};
  options.size = sizeof options;
  options.gas_limit = gas_limit;
  options.memory_limit = memory_limit;
  options.check = check ? 1 : 0;
  return options;
}

tally_load_options LoadOptions(int64_t gas_limit, int64_t memory_limit) {
  tally_load_options options = {};
  options.gas_limit = gas_limit;
  options.memory_limit = memory_limit;
  return options;
}

tally::Module LoadFile(const std::string& path, int64_t gas_limit, int64_t memory_limit) {
  const py::gil_scoped_release released;
  return tally::Module::FromFile(path, LoadOptions(gas_limit, memory_limit));
}

tally::Module LoadBytes(const py::buffer& bytes, int64_t gas_limit, int64_t memory_limit) {
  const py::buffer_info info = bytes.request();
  const auto* const data = static_cast<const uint8_t*>(info.ptr);
  const std::vector<uint8_t> copy(data, data + info.size * info.itemsize);
  const py::gil_scoped_release released;
  return tally::Module::FromBytes(copy, LoadOptions(gas_limit, memory_limit));
}

// A plan, and what its results look like.
class Plan {
 public:
  Plan(const tally::Module& module, const std::string& engine, const std::string& arch, int threads,
       int64_t memory_limit)
      : plan_(Make(module, engine, arch, threads, memory_limit)) {
    const size_t count = module.Info().results;
    for (size_t r = 0; r < count; ++r) {
      const tally_value_info info = module.Result(r);
      shapes_.emplace_back(info.shape, info.shape + info.rank);
      types_.emplace_back("int" + std::to_string(8 << info.storage));
    }
  }

  // New arrays of results.
  py::list Call(const py::sequence& inputs, int64_t gas_limit, int64_t memory_limit, bool check) const {
    py::list results;
    for (size_t r = 0; r < shapes_.size(); ++r) results.append(py::array(types_[r], shapes_[r]));
    RunInto(inputs, results, gas_limit, memory_limit, check);
    return results;
  }

  void RunInto(const py::sequence& inputs, const py::sequence& results, int64_t gas_limit,
               int64_t memory_limit, bool check) const {
    const HeldTensors in(inputs, false), out(results, true);
    const py::gil_scoped_release released;
    plan_.Run(in.get(), out.get(), RunOptions(gas_limit, memory_limit, check));
  }

  // (results, receipt, the refusal or none)
  tally::Receipt RunSigned(const py::sequence& inputs, const py::sequence& results, const tally::Key& key,
                           const std::optional<py::bytes>& nonce, bool trace) const {
    const HeldTensors in(inputs, false), out(results, true);
    tally_receipt_options says = {};
    tally::Digest request;
    if (nonce) request = DigestOf(*nonce);
    says.nonce = nonce ? request.data() : nullptr;
    says.trace = trace ? 1 : 0;
    const py::gil_scoped_release released;
    return plan_.RunSigned(in.get(), out.get(), key, says);
  }

  py::tuple Recompute(const tally::Receipt& receipt, const py::sequence& inputs) const {
    const HeldTensors in(inputs, false);
    tally_finding finding;
    {
      const py::gil_scoped_release released;
      finding = receipt.Recompute(plan_, in.get());
    }
    return TupleOf(finding);
  }

  py::dict Info() const {
    const tally_plan_info info = plan_.Info();
    py::dict about;
    about["engine"] = info.engine;
    about["kept_bytes"] = info.kept_bytes;
    about["memory_bytes"] = info.memory_bytes;
    about["steps"] = info.steps;
    about["is_lowered"] = info.is_lowered == 1;
    return about;
  }

 private:
  static tally::Plan Make(const tally::Module& module, const std::string& engine, const std::string& arch,
                          int threads, int64_t memory_limit) {
    // A string of C ends at a zero: what comes after it would not be read.
    for (const std::string& name : {engine, arch}) {
      if (name.find('\0') != std::string::npos) throw py::value_error("the name has a zero byte in it");
    }
    tally_plan_options options = {};
    options.engine = engine.c_str();
    options.arch = arch.empty() ? nullptr : arch.c_str();
    options.threads = threads;
    options.memory_limit = memory_limit;
    const py::gil_scoped_release released;
    return tally::Plan(module, options);
  }

  tally::Plan plan_;
  std::vector<std::vector<py::ssize_t>> shapes_;
  std::vector<py::dtype> types_;
};

py::dict DictOf(const tally_receipt_info& info) {
  const auto digest = [](bool has, const uint8_t* bytes) -> py::object {
    if (!has) return py::none();
    return BytesOf(bytes);
  };
  py::dict about;
  about["claim"] = BytesOf(info.claim);
  about["module"] = BytesOf(info.module);
  about["inputs"] = BytesOf(info.inputs);
  about["results"] = digest(info.has_results == 1, info.results);
  about["key"] = BytesOf(info.key);
  about["nonce"] = digest(info.has_nonce == 1, info.nonce);
  about["trace"] = digest(info.has_trace == 1, info.trace);
  about["origin"] = digest(info.has_origin == 1, info.origin);
  about["gas"] = info.gas;
  about["issued_at"] = info.issued_at;
  about["status"] = info.status;
  return about;
}

py::dict DictOf(const tally_module_info& info) {
  py::dict about;
  about["params"] = info.params;
  about["results"] = info.results;
  about["instructions"] = info.instructions;
  about["gas"] = info.gas;
  about["arena_bytes"] = info.arena_bytes;
  about["constant_bytes"] = info.constant_bytes;
  about["spec_version"] = info.spec_version;
  about["profile"] = info.profile;
  return about;
}

py::list Engines() {
  py::list engines;
  tally_engine_info info = {};
  info.size = sizeof info;
  for (size_t i = 0; tally_engine(i, &info, nullptr) == TALLY_OK; ++i)
    engines.append(py::make_tuple(info.name, info.summary, info.available == 1));
  return engines;
}

py::dict CheckCertificate(const std::string& certificate) {
  tally_verdict verdict = {};
  verdict.size = sizeof verdict;
  tally_check_certificate(reinterpret_cast<const uint8_t*>(certificate.data()), certificate.size(), &verdict);
  py::dict about;
  about["convicted"] = verdict.convicted == 1;
  about["claim"] = BytesOf(verdict.claim);
  about["trace"] = verdict.has_trace == 1 ? py::object(BytesOf(verdict.trace)) : py::object(py::none());
  about["expansion"] =
      verdict.has_columns == 1 ? py::object(BytesOf(verdict.columns)) : py::object(py::none());
  about["label"] = verdict.label;
  about["text"] = verdict.text;
  return about;
}

// Functions make all objects: one that Python allocates by itself has memory that nobody has written.
void OnlyByFunctions(const py::handle& type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new = [](PyTypeObject*, PyObject*, PyObject*) -> PyObject* {
    PyErr_SetString(PyExc_TypeError, "the class has no constructor: functions of tally make its objects");
    return nullptr;
  };
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.doc() = "libtally for the package tally, which is what to use.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const tally::Error& error) {
      Raise(error);
    }
  });
  m.def("version", [] { return tally_version(); });
  m.def("engines", Engines);
  m.def("check_certificate", CheckCertificate);
  m.def("tensor_digest", [](const py::object& tensor) {
    const Held held(tensor, false, 0);
    return BytesOf(tally::DigestOf(held.tensor()));
  });
  m.def("quantize", Quantize);
  py::class_<tally::Module>(m, "Module")
      .def_static("load_file", LoadFile)
      .def_static("load_bytes", LoadBytes)
      .def("id",
           [](const tally::Module& module) {
             tally::Digest id;
             {
               const py::gil_scoped_release released;
               id = module.Id();
             }
             return BytesOf(id);
           })
      .def("results_digest",
           [](const tally::Module& module, const py::sequence& results) {
             const HeldTensors held(results, false);
             return BytesOf(module.ResultsDigest(held.get()));
           })
      .def("info", [](const tally::Module& module) { return DictOf(module.Info()); })
      .def("param", [](const tally::Module& module, size_t i) { return DictOf(module.Param(i)); })
      .def("result", [](const tally::Module& module, size_t i) { return DictOf(module.Result(i)); });
  py::class_<Plan>(m, "Plan")
      .def_static("make",
                  [](const tally::Module& module, const std::string& engine, const std::string& arch,
                     int threads, int64_t memory_limit) {
                    return std::make_unique<Plan>(module, engine, arch, threads, memory_limit);
                  })
      .def("call", &Plan::Call, py::arg("inputs"), py::arg("gas_limit") = 0, py::arg("memory_limit") = 0,
           py::arg("check") = false)
      .def("run_into", &Plan::RunInto)
      .def("run_signed", &Plan::RunSigned)
      .def("recompute", &Plan::Recompute)
      .def("info", &Plan::Info);
  py::class_<tally::Key>(m, "Key")
      .def_static("generate", tally::Key::Generate)
      .def_static("from_pem", tally::Key::FromPem)
      .def("pem", &tally::Key::Pem)
      .def("public", &tally::Key::Public);
  py::class_<tally::PublicKey>(m, "PublicKey")
      .def_static("from_pem", tally::PublicKey::FromPem)
      .def("pem", &tally::PublicKey::Pem)
      .def("id", [](const tally::PublicKey& key) { return BytesOf(key.Id()); });
  py::class_<tally::Receipt>(m, "Receipt")
      .def_static("parse", tally::Receipt::Parse)
      .def("text", &tally::Receipt::Text)
      .def("info", [](const tally::Receipt& receipt) { return DictOf(receipt.Info()); })
      .def("verify",
           [](const tally::Receipt& receipt, const tally::PublicKey& key,
              const std::optional<py::bytes>& nonce, const std::optional<py::bytes>& results,
              const std::optional<py::bytes>& certificate, const std::optional<py::bytes>& expansion) {
             tally::Digest digests[3];
             const auto digest = [](const std::optional<py::bytes>& bytes, tally::Digest& place) {
               if (bytes) place = DigestOf(std::string(*bytes));
               return bytes ? &place : nullptr;
             };
             tally::Evidence given = {digest(nonce, digests[0]), digest(results, digests[1]), nullptr,
                                      digest(expansion, digests[2])};
             std::vector<uint8_t> file;
             if (certificate) {
               const std::string bytes = *certificate;
               file.assign(bytes.begin(), bytes.end());
               given.certificate = &file;
             }
             return TupleOf(receipt.Verify(key, given));
           });
  for (const char* name : {"Module", "Plan", "Key", "PublicKey", "Receipt"}) OnlyByFunctions(m.attr(name));
}
