// Modules and plans.
#include <string>
#include <vector>

#include "api/python/native/functions.h"
#include "api/python/native/handle.h"
#include "api/python/native/tensors.h"

namespace tally::python {
namespace {

tally_load_options LoadOptions(int64_t gas_limit, int64_t memory_limit) {
  tally_load_options options = {};
  options.gas_limit = gas_limit;
  options.memory_limit = memory_limit;
  return options;
}

Ref LoadFile(PyObject* args) {
  const char* path = nullptr;
  long long gas_limit = 0, memory_limit = 0;
  Arguments(args, "yLL", &path, &gas_limit, &memory_limit);
  const auto load = [&] {
    const WithoutLock released;
    return Module::FromFile(path, LoadOptions(gas_limit, memory_limit));
  };
  return HandleOf(load());
}

Ref LoadBytes(PyObject* args) {
  PyObject* bytes = nullptr;
  long long gas_limit = 0, memory_limit = 0;
  Arguments(args, "OLL", &bytes, &gas_limit, &memory_limit);
  const Memory memory(bytes, false);
  const auto* const data = static_cast<const uint8_t*>(memory.data());
  const std::vector<uint8_t> copy(data, data + memory.size());
  const auto load = [&] {
    const WithoutLock released;
    return Module::FromBytes(copy, LoadOptions(gas_limit, memory_limit));
  };
  return HandleOf(load());
}

Ref Id(PyObject* args) {
  PyObject* module = nullptr;
  Arguments(args, "O", &module);
  const auto& loaded = In<Module>(module);
  const auto id = [&] {
    const WithoutLock released;
    return loaded.Id();
  };
  return BytesOf(id());
}

Ref ResultsDigest(PyObject* args) {
  PyObject *module = nullptr, *results = nullptr;
  Arguments(args, "OO", &module, &results);
  const HeldTensors held(results, false);
  return BytesOf(In<Module>(module).ResultsDigest(held.get()));
}

Ref ModuleInfo(PyObject* args) {
  PyObject* module = nullptr;
  Arguments(args, "O", &module);
  const tally_module_info info = In<Module>(module).Info();
  Dict about;
  about.Set("params", Integer(static_cast<int64_t>(info.params)));
  about.Set("results", Integer(static_cast<int64_t>(info.results)));
  about.Set("instructions", Integer(static_cast<int64_t>(info.instructions)));
  about.Set("gas", Integer(info.gas));
  about.Set("arena_bytes", Integer(info.arena_bytes));
  about.Set("constant_bytes", Integer(info.constant_bytes));
  about.Set("spec_version", Integer(info.spec_version));
  about.Set("profile", Text(info.profile));
  return about.Take();
}

Ref About(const tally_value_info& info) {
  Ref shape = Checked(PyTuple_New(info.rank));
  for (int axis = 0; axis < info.rank; ++axis)
    if (PyTuple_SetItem(shape.get(), axis, Integer(info.shape[axis]).release()) != 0) throw Raised();
  Dict value;
  value.Set("name", Text(info.name));
  value.Set("shape", shape);
  value.Set("dtype", Text("int" + std::to_string(8 << info.storage)));
  value.Set("interval", Tuple(Integer(info.lowest), Integer(info.highest)));
  value.Set("grid", info.has_grid == 1
                        ? Tuple(Integer(info.multiplier), Integer(info.shift), Integer(info.zero_point))
                        : None());
  return value.Take();
}

template <tally_value_info (Module::*Get)(size_t) const>
Ref Value(PyObject* args) {
  PyObject* module = nullptr;
  Py_ssize_t index = 0;
  Arguments(args, "On", &module, &index);
  return About((In<Module>(module).*Get)(static_cast<size_t>(index)));
}

Ref MakePlan(PyObject* args) {
  PyObject* module = nullptr;
  const char *engine = nullptr, *arch = nullptr;
  int threads = 0;
  long long memory_limit = 0;
  Arguments(args, "OssiL", &module, &engine, &arch, &threads, &memory_limit);
  tally_plan_options options = {};
  options.engine = engine;
  options.arch = *arch == '\0' ? nullptr : arch;
  options.threads = threads;
  options.memory_limit = memory_limit;
  const auto& loaded = In<Module>(module);
  const auto make = [&] {
    const WithoutLock released;
    return Plan(loaded, options);
  };
  return HandleOf(make());
}

Ref RunPlan(PyObject* args) {
  PyObject *plan = nullptr, *inputs = nullptr, *results = nullptr;
  long long gas_limit = 0, memory_limit = 0;
  int check = 0;
  Arguments(args, "OOOLLp", &plan, &inputs, &results, &gas_limit, &memory_limit, &check);
  const HeldTensors in(inputs, false), out(results, true);
  tally_run_options options = {};
  options.gas_limit = gas_limit;
  options.memory_limit = memory_limit;
  options.check = check;
  const auto& made = In<Plan>(plan);
  {
    const WithoutLock released;
    made.Run(in.get(), out.get(), options);
  }
  return None();
}

Ref PlanInfo(PyObject* args) {
  PyObject* plan = nullptr;
  Arguments(args, "O", &plan);
  const tally_plan_info info = In<Plan>(plan).Info();
  Dict about;
  about.Set("engine", Text(info.engine));
  about.Set("kept_bytes", Integer(info.kept_bytes));
  about.Set("memory_bytes", Integer(info.memory_bytes));
  about.Set("steps", Integer(static_cast<int64_t>(info.steps)));
  about.Set("is_lowered", Boolean(info.is_lowered == 1));
  return about.Take();
}

}  // namespace

const std::vector<PyMethodDef>& ModuleFunctions() {
  static const std::vector<PyMethodDef> functions = {
      Method<LoadFile>("load_file"),
      Method<LoadBytes>("load_bytes"),
      Method<Id>("module_id"),
      Method<ResultsDigest>("results_digest"),
      Method<ModuleInfo>("module_info"),
      Method<Value<&Module::Param>>("param"),
      Method<Value<&Module::Result>>("result"),
      Method<MakePlan>("make_plan"),
      Method<RunPlan>("run_plan"),
      Method<PlanInfo>("plan_info"),
  };
  return functions;
}

}  // namespace tally::python
