#include "frontends/cvm/export_cvm.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/cvm/import_cvm.h"
#include "frontends/cvm/testing/run_model.h"
#include "serializer/module_id.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::cvm {
namespace {

TensorType Bytes(std::initializer_list<int64_t> dims) { return {*Shape::Create(dims), {-127, 127}}; }

TEST(ExportCvm, IsTheInverseOfImport) {
  ModelWriter model;
  model.Data({1, 2, 4, 4}).Weight("w", {3, 2, 3, 3}, std::vector<int64_t>(54, 2), 8, 8);
  model.Weight("b", {3}, {-70000, 0, 1 << 20}, 22);
  model.Op("conv2d", {"data", "w", "b"}, {{1, 3, 4, 4}},
           {{"channels", "3"}, {"kernel_size", "(3, 3)"}, {"padding", "(1, 1)"}});
  model.Op("cvm_right_shift", {"conv2d"}, {{1, 3, 4, 4}}, {{"precision", "8"}, {"shift_bit", "3"}});
  model.Op("max_pool2d", {"cvm_right_shift"}, {{1, 3, 2, 2}},
           {{"pool_size", "(2, 2)"}, {"strides", "(2, 2)"}});
  model.Op("flatten", {"max_pool2d"}, {{1, 12}});
  model.json()["postprocess"] = "argmax";
  const auto first = ImportCvm(model.Text(), model.Params());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto files = ExportCvm(first->module);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto second = ImportCvm(files->graph, files->params);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->module.module(), first->module.module());
  EXPECT_EQ(ModuleId(second->module.module()), ModuleId(first->module.module()));
}

TEST(ExportCvm, WritesValuesOfSeveralResults) {
  ModelWriter model;
  model.Data({1, 3, 6}, 20).Op("get_valid_counts", {"data"}, {{1}, {1, 3, 6}}, {{"score_threshold", "5"}});
  model.Op("non_max_suppression", {"get_valid_counts:1", "get_valid_counts"}, {{1, 3, 6}});
  const auto first = ImportCvm(model.Text(), model.Params());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto files = *ExportCvm(first->module);
  EXPECT_EQ(ImportCvm(files.graph, files.params)->module.module(), first->module.module());
}

TEST(ExportCvm, WidensTheInputToAPrecision) {
  ModuleBuilder b(Profile::kCvm);
  const ValueId x = b.Param("image", {*Shape::Create({2}), {0, 100}});
  b.Result("y", b.Op(Opcode::kAbs, {x}));
  const auto files = ExportCvm(*Validate(std::move(b).Build()));
  ASSERT_TRUE(files.ok()) << files.status();
  const auto back = ImportCvm(files->graph, files->params);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->module.entry().params[0].interval, (Interval{-127, 127}));
}

TEST(ExportCvm, RefusesWhatCvmCannotSay) {
  const auto label_of = [](ModuleBuilder b) {
    return ErrorLabel(ExportCvm(*Validate(std::move(b).Build())).status());
  };
  ModuleBuilder core(Profile::kCore);
  core.Result("y", core.Param("data", Bytes({2})));
  EXPECT_EQ(label_of(std::move(core)), "cvm_export");
  ModuleBuilder two_inputs(Profile::kCvm);
  two_inputs.Param("data", Bytes({2}));
  two_inputs.Result("y", two_inputs.Param("more", Bytes({2})));
  EXPECT_EQ(label_of(std::move(two_inputs)), "cvm_export");
  ModuleBuilder two_results(Profile::kCvm);
  const ValueId x = two_results.Param("data", Bytes({2}));
  two_results.Result("y", x);
  two_results.Result("z", x);
  EXPECT_EQ(label_of(std::move(two_results)), "cvm_export");
}

}  // namespace
}  // namespace tally::cvm
