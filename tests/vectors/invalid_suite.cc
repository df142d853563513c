// Each rule of docs/spec/validation.md that is not an operator's, and the rules of operators whose order
// needs functions or large tables.
#include <functional>
#include <utility>

#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/image/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/table/attrs.h"
#include "serializer/encode.h"
#include "tests/vectors/suites.h"
#include "vm/limits.h"
#include "vm/module_builder.h"

namespace tally {
namespace {

using Ids = std::vector<ValueId>;

const TensorType kByte = {Shape(), {-128, 127}};
constexpr int64_t kTensorHigh = (int64_t{1} << 47) - 1;

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

// y = x + [10, 20], x [3, 2] in [-5, 5].
Module AddTwo() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({3, 2}), {-5, 5}});
  const ValueId c = b.Constant(*Tensor::FromValues(Dims({2}), {10, 20}));
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, c}));
  return std::move(b).Build();
}

Module Built(const std::function<void(ModuleBuilder&)>& write) {
  ModuleBuilder b(Profile::kCore);
  write(b);
  return std::move(b).Build();
}

Recipe Line(int64_t count) {
  return {.function = RecipeFunction::kIdentity, .first = -count / 2, .count = count, .lo = -128, .hi = 127};
}

class Suite {
 public:
  explicit Suite(SuiteFile* file) : file_(*file) {}

  void Add(const std::string& label, const std::string& name, const Module& module) {
    file_.cases.push_back(
        {absl::StrCat(label.empty() ? "valid" : label, ": ", name), Encode(module), label, {}});
  }
  void Built(const std::string& label, const std::string& name,
             const std::function<void(ModuleBuilder&)>& write) {
    Add(label, name, tally::Built(write));
  }
  // The module of AddTwo, changed.
  void Changed(const std::string& label, const std::string& name,
               const std::function<void(Module&)>& change) {
    Module module = AddTwo();
    change(module);
    Add(label, name, module);
  }

 private:
  SuiteFile& file_;
};

void AddHeader(Suite& s) {
  s.Changed("bad_spec_version", "2", [](Module& m) { m.spec_version = 2; });
  s.Changed("bad_spec_version", "0, before everything else", [](Module& m) {
    m.spec_version = 0;
    m.metadata.params[0].name = "";
  });
  // Each call defines 1024 values: 257 of them more than 2^18.
  s.Built("value_count", "calls of 1024 results", [](ModuleBuilder& b) {
    const Ids p = b.BeginFunction({kByte});
    const CallAttrs wide = {.function = b.EndFunction(Ids(kMaxResults, p[0]))};
    const ValueId x = b.Param("", kByte);
    for (int64_t i = 0; i < kMaxValues / kMaxResults; ++i) b.Op(Opcode::kCall, {x}, wide);
    b.Result("y", x);
  });
  s.Changed("metadata_name", "empty", [](Module& m) { m.metadata.params[0].name = ""; });
  s.Changed("metadata_name", "of two results", [](Module& m) {
    m.functions[0].results = {2, 2};
    m.metadata.results = {{"y", {}}, {"y", {}}};
  });
  s.Changed("", "one name for a parameter and a result", [](Module& m) { m.metadata.results[0].name = "x"; });
  const auto scale = [&](const std::string& label, const std::string& name, const Quantization& q) {
    s.Changed(label, name, [&](Module& m) { m.metadata.params[0].quantization = q; });
  };
  scale("", "the largest multiplier", {0, (int64_t{1} << 53) - 1, -1074});
  scale("metadata_quantization", "an even multiplier", {0, 2, 0});
  scale("metadata_quantization", "a multiplier beyond 2^53", {0, (int64_t{1} << 53) + 1, 0});
  scale("metadata_quantization", "a negative multiplier", {0, -1, 0});
  scale("metadata_quantization", "a shift of 1075", {0, 1, 1075});
  scale("metadata_quantization", "a zero point of 2^47", {kTensorHigh + 1, 1, 0});
  s.Changed("metadata_quantization", "of a parameter before the name of a result", [](Module& m) {
    m.metadata.params[0].quantization = {0, 2, 0};
    m.metadata.results[0].name = "";
  });
  s.Changed("metadata_name", "before param_interval", [](Module& m) {
    m.metadata.params[0].name = "";
    m.functions[0].params[0].interval = {1, 0};
  });
}

void AddConstants(Suite& s) {
  const std::vector<uint8_t> wide = {10, 0, 20, 0};
  s.Changed("constant_storage", "i16 for bytes", [&](Module& m) {
    m.constants[0].storage = Storage::kI16;
    m.constants[0].bytes = wide;
  });
  s.Changed("constant_storage", "before param_interval", [&](Module& m) {
    m.constants[0].storage = Storage::kI16;
    m.constants[0].bytes = wide;
    m.functions[0].params[0].interval = {1, 0};
  });
  s.Changed("constant_unused", "twice the same", [](Module& m) { m.constants.push_back(m.constants[0]); });
  const auto recipe = [&](const std::string& label, const std::string& name,
                          const std::function<void(RecipeConstant&)>& change,
                          Storage storage = Storage::kI8) {
    Module m = Built([](ModuleBuilder& b) { b.Result("y", *b.Constant(Line(4))); });
    change(m.recipes[0]);
    m.constants[0].storage = storage;
    s.Add(label, name, m);
  };
  recipe("", "a recipe", [](RecipeConstant&) {});
  recipe("recipe_digest", "another digest", [](RecipeConstant& r) { r.sha256[31] ^= 1; });
  recipe(
      "constant_storage", "a recipe in i16, before its digest", [](RecipeConstant& r) { r.sha256[0] ^= 1; },
      Storage::kI16);
  recipe(
      "recipe_fields", "lo above hi, before the storage", [](RecipeConstant& r) { r.recipe.lo = 128; },
      Storage::kI16);
  recipe("recipe_fields", "a scale of 0", [](RecipeConstant& r) { r.recipe.in.multiplier = 0; });
  recipe("recipe_fields", "a parameter that the function lacks", [](RecipeConstant& r) {
    r.recipe.alpha = {1, 1};
  });
  recipe("recipe_fields", "a negative denominator", [](RecipeConstant& r) {
    r.recipe.function = RecipeFunction::kElu;
    r.recipe.alpha = {1, -1};
  });
  recipe("recipe_fields", "2 / 4", [](RecipeConstant& r) {
    r.recipe.function = RecipeFunction::kElu;
    r.recipe.alpha = {2, 4};
  });
  recipe("recipe_fields", "celu with alpha 0",
         [](RecipeConstant& r) { r.recipe.function = RecipeFunction::kCelu; });
  Module many = Built([](ModuleBuilder& b) { b.Result("y", *b.Constant(Line(65536))); });
  many.recipes[0].recipe.lo = 1000;
  for (uint32_t i = 1; i <= 16; ++i) {
    many.constants.push_back(many.constants[0]);
    many.recipes.push_back(many.recipes[0]);
    many.recipes.back().constant = i;
  }
  s.Add("recipe_entries_limit", "17 tables of 65536 entries, before their fields", many);
  // 16 * 65536 + 2^22 elements may be read: 80 additions read as many.
  for (const int additions : {40, 41}) {
    s.Built(additions == 40 ? "" : "constant_reads_limit",
            absl::StrCat(additions, " additions of a constant to itself"), [&](ModuleBuilder& b) {
              const ValueId c = *b.Constant(Line(65536));
              ValueId y = c;
              for (int i = 0; i < additions; ++i) y = b.Op(Opcode::kBroadcastAdd, {c, c});
              b.Result("y", y);
            });
  }
}

void AddFunctions(Suite& s) {
  const auto param = [&](const std::string& label, const std::string& name, const TensorType& type,
                         Profile profile) {
    ModuleBuilder b(profile);
    b.Result("y", b.Param("x", type));
    s.Add(label, name, std::move(b).Build());
  };
  param("", "all of core", {Shape(), {-kTensorHigh - 1, kTensorHigh}}, Profile::kCore);
  param("param_interval", "empty", {Shape(), {1, 0}}, Profile::kCore);
  param("param_interval", "above 2^47 - 1", {Shape(), {0, kTensorHigh + 1}}, Profile::kCore);
  param("param_interval", "-2^31 in profile cvm", {Dims({1}), {-(int64_t{1} << 31), 0}}, Profile::kCvm);
  param("cvm_shape", "rank 0", {Shape(), {0, 1}}, Profile::kCvm);
  param("cvm_shape", "rank 7", {Dims({1, 1, 1, 1, 1, 1, 1}), {0, 1}}, Profile::kCvm);
  param("cvm_shape", "a dimension above 2^24", {Dims({(int64_t{1} << 24) + 1}), {0, 1}}, Profile::kCvm);
  param("param_interval", "before cvm_shape", {Shape(), {1, 0}}, Profile::kCvm);
  s.Changed("operand_undefined", "an operand of its own instruction", [](Module& m) {
    m.functions[0].body[1].operands = {0, 2};
  });
  s.Changed("result_missing", "no result", [](Module& m) {
    m.functions[0].results.clear();
    m.metadata.results.clear();
  });
  s.Changed("result_undefined", "a value that does not exist",
            [](Module& m) { m.functions[0].results = {3}; });
  s.Changed("constant_c1", "before constant_unused",
            [](Module& m) { m.functions[0].body[0].attributes = {{7}}; });
  s.Changed("result_undefined", "before constant_unused", [](Module& m) {
    m.functions[0].results = {3};
    m.constants.push_back(m.constants[0]);
  });
  const auto identity = [](ModuleBuilder& b) {
    const Ids p = b.BeginFunction({kByte});
    return b.EndFunction({p[0]});
  };
  const auto calling = [&](int64_t function) {
    Module m = Built([&](ModuleBuilder& b) {
      const ValueId x = b.Param("x", kByte);
      const int64_t f = identity(b);
      b.Result("y", b.Op(Opcode::kCall, {x}, CallAttrs{.function = f}));
    });
    m.functions[0].body[0].attributes = {{function}};
    return m;
  };
  s.Add("", "call of function 1", calling(1));
  s.Add("attribute_range", "call of function 0", calling(0));
  s.Add("function_reference", "call of function 2 of 2", calling(2));
  s.Add("function_reference", "call of function 2^31 - 1", calling(kMaxDim));
  s.Add("attribute_range", "call of function 2^31", calling(kMaxDim + 1));
  Module unused = calling(1);
  unused.functions.push_back(unused.functions[1]);
  s.Add("function_unused", "a third function", unused);
  const Module two = AddTwo();  // owns the bytes
  unused.constants.push_back(two.constants[0]);
  s.Add("constant_unused", "before function_unused", unused);
  unused.functions[2].params[0].interval = {1, 0};
  unused.functions[0].params[0].interval = {1, 0};
  s.Add("param_interval", "of the last function", unused);
  Module chain = calling(1);
  chain.functions[1] = {{kByte}, {}, {0}};
  for (int64_t f = 2; f <= kMaxCallDepth; ++f) {
    chain.functions.back() = {{kByte}, {{Opcode::kCall, {0}, {{f}}}}, {1}};
    if (f == kMaxCallDepth) {
      Module fits = chain;
      fits.functions.back() = {{kByte}, {}, {0}};
      s.Add("", "64 functions inside one another", fits);
    }
    chain.functions.push_back({{kByte}, {}, {0}});
  }
  s.Add("call_depth", "65 functions inside one another", chain);
}

void AddGasAndMemory(Suite& s) {
  s.Built("gas_limit_of_module", "three loops of 2^31 - 1 trips inside one another", [](ModuleBuilder& b) {
    const ValueId x = b.Param("x", kByte);
    int64_t body = 0;
    for (int level = 0; level < 3; ++level) {
      const Ids p = b.BeginFunction({{Shape(), {0, kMaxDim - 1}}, kByte});
      const ValueId y =
          level == 0 ? b.Op(Opcode::kClip, {p[1]}, ClipAttrs{-128, 127})
                     : b.Op(Opcode::kLoop, {p[1]}, LoopAttrs{.body = body, .trips = kMaxDim, .states = 1});
      body = b.EndFunction({y});
    }
    b.Result("y", b.Op(Opcode::kLoop, {x}, LoopAttrs{.body = body, .trips = kMaxDim, .states = 1}));
  });
  // Their pairs are 2900^2 / 2 and some.
  s.Built("live_pairs_limit", "2900 values that wait for their use", [](ModuleBuilder& b) {
    const ValueId x = b.Param("x", {Shape(), {0, 1}});
    Ids waiting;
    for (int i = 0; i < 2900; ++i) waiting.push_back(b.Op(Opcode::kRelu, {x}));
    ValueId y = x;
    for (const ValueId value : waiting) y = b.Op(Opcode::kBroadcastMax, {y, value});
    b.Result("y", y);
  });
  // Each call has 512 values of 2^39 bytes that wait for their use, which are not live together with those of
  // another call.
  s.Built("memory_limit_of_module", "4200 calls with values of 2^48 bytes", [](ModuleBuilder& b) {
    b.BeginFunction({});
    Ids waiting;
    for (int i = 0; i < 512; ++i) {
      waiting.push_back(b.Op(Opcode::kFill, {}, FillAttrs{{1 << 18, 1 << 18}, kTensorHigh}));
    }
    ValueId corner = 0;
    for (const ValueId value : waiting) {
      corner = b.Op(Opcode::kStridedSlice, {value}, StridedSliceAttrs{{0, 0}, {1, 1}, {}});
    }
    const CallAttrs holding = {.function = b.EndFunction({corner})};
    ValueId last = 0;
    for (int i = 0; i < 4200; ++i) last = b.Op(Opcode::kCall, {}, holding);
    b.Result("y", last);
  });
}

// Where pairs of changes to one call do not lead.
void AddOrders(Suite& s) {
  const auto branches = [](ModuleBuilder& b, bool same_shape) {
    const Tensor wide = *Tensor::FromValues(Shape(), {INT64_MAX});
    b.BeginFunction({});
    const int64_t on_true = b.EndFunction({b.Constant(wide), b.Op(Opcode::kFill, {}, FillAttrs{{2}, 0})});
    b.BeginFunction({});
    const std::vector<int64_t> dims = {same_shape ? 2 : 3};
    const int64_t on_false = b.EndFunction({b.Constant(wide), b.Op(Opcode::kFill, {}, FillAttrs{dims, 0})});
    const ValueId x = b.Param("x", {Shape(), {0, 1}});
    const ValueId first =
        b.Op(Opcode::kIf, {x}, IfAttrs{.then_function = on_true, .else_function = on_false});
    b.Result("y", first + 1);
  };
  s.Built("if_c5", "of the second result, before the interval of the first",
          [&](ModuleBuilder& b) { branches(b, false); });
  s.Built("value_range", "a result of 64 bits", [&](ModuleBuilder& b) { branches(b, true); });
  s.Built("shape_elements", "of the second output of a loop, before the interval of the first",
          [](ModuleBuilder& b) {
            b.BeginFunction({{Shape(), {0, kMaxDim - 1}}});
            const ValueId wide = b.Constant(*Tensor::FromValues(Shape(), {INT64_MAX}));
            const int64_t body = b.EndFunction({wide, b.Op(Opcode::kFill, {}, FillAttrs{{64}, 0})});
            b.Result("y", b.Op(Opcode::kLoop, {}, LoopAttrs{.body = body, .trips = kMaxDim}));
          });
  s.Built("layer_norm_c5", "m that is wider than a large x", [](ModuleBuilder& b) {
    const ValueId x = b.Param("x", {Dims({kMaxDim, 1}), {0, 1}});
    const ValueId m = b.Constant(Tensor(Dims({64}), Storage::kI8));
    b.Result("y", b.Op(Opcode::kLayerNorm, {x, m, m}, LayerNormAttrs{.axes = {1}}));
  });
  s.Built("shape_elements", "of resample, before its accumulator", [](ModuleBuilder& b) {
    const ValueId x = b.Param("x", {Dims({kMaxDim, 1}), {0, kTensorHigh}});
    const ValueId index = b.Constant(Tensor(Dims({64, 1}), Storage::kI8));
    const ValueId weight =
        b.Constant(*Tensor::FromValues(Dims({64, 1}), std::vector<int64_t>(64, INT64_MAX)));
    b.Result("y", b.Op(Opcode::kResample, {x, index, weight}, ResampleAttrs{.axis = 1}));
  });
}

}  // namespace

SuiteFile InvalidSuite() {
  SuiteFile file = {"invalid.json", "The rules of a module that are not an operator's, and their order.", {}};
  Suite suite(&file);
  AddHeader(suite);
  AddConstants(suite);
  AddFunctions(suite);
  AddGasAndMemory(suite);
  AddOrders(suite);
  return file;
}

}  // namespace tally
