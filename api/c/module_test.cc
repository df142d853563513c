// Modules through the C interface.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "api/c/testing/c_case.h"
#include "base/aligned_vector.h"
#include "base/hash/digest.h"
#include "serializer/module_id.h"

namespace tally::api {
namespace {

std::string WriteFile(const std::vector<uint8_t>& bytes) {
  const std::string path = testing::TempDir() + "/module.tally";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

std::string IdOf(tally_module module) {
  Digest id = {};
  EXPECT_EQ(tally_module_id(module, id.data(), nullptr), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  return ToHex(id);
}

tally_load_options Options() {
  tally_load_options options = {};
  options.size = sizeof options;
  return options;
}

TEST(Module, IsTheSameFromBytesFilesAndDescriptors) {
  const std::vector<uint8_t> bytes = Bytes(kTwo);
  const std::string expected = ToHex(ModuleId(*Assemble("tally 1\nprofile core\n" + kTwo)));
  EXPECT_EQ(IdOf(Load(kTwo)), expected);
  const std::string path = WriteFile(bytes);
  tally_module module = {};
  Error error;
  ASSERT_EQ(tally_module_load_file(path.c_str(), nullptr, &module, &error), TALLY_OK) << error.message;
  EXPECT_EQ(IdOf(module), expected);
  const int fd = open(path.c_str(), O_RDONLY);
  ASSERT_EQ(tally_module_load_descriptor(fd, nullptr, &module, &error), TALLY_OK) << error.message;
  EXPECT_EQ(close(fd), 0);  // which the module does not need
  EXPECT_EQ(IdOf(module), expected);
}

TEST(Module, SaysWhatIsProven) {
  const tally_module module = Load(kTwo);
  tally_module_info info = {.size = sizeof info};
  ASSERT_EQ(tally_module_get_info(module, &info, nullptr), TALLY_OK);
  EXPECT_EQ(info.params, 2u);
  EXPECT_EQ(info.results, 2u);
  EXPECT_EQ(info.instructions, 2u);
  EXPECT_GT(info.gas, 0);
  EXPECT_STREQ(info.profile, "core");
  tally_value_info value = {.size = sizeof value};
  ASSERT_EQ(tally_module_param(module, 1, &value, nullptr), TALLY_OK);
  EXPECT_STREQ(value.name, "b");
  ASSERT_EQ(tally_module_result(module, 0, &value, nullptr), TALLY_OK);
  EXPECT_STREQ(value.name, "sum");
  EXPECT_EQ(value.rank, 1);
  EXPECT_EQ(value.shape[0], 4);
  EXPECT_EQ(value.storage, TALLY_I16);
  EXPECT_EQ(value.bytes, 8u);
  EXPECT_EQ(value.lowest, -256);
  EXPECT_EQ(value.highest, 254);
  EXPECT_EQ(value.has_grid, 0);
  Error error;
  EXPECT_EQ(tally_module_result(module, 2, &value, &error), TALLY_INVALID_ARGUMENT);
  EXPECT_STREQ(error.label, "api_index");
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST(Module, SaysTheGridOfAValue) {
  const tally_module module =
      Load("param %0 \"x\" [1] in [-9, 9] scale 3*2^-4 zero -2\n%1 = negative %0\nresult %1 \"y\"\n");
  tally_value_info value = {.size = sizeof value};
  ASSERT_EQ(tally_module_param(module, 0, &value, nullptr), TALLY_OK);
  EXPECT_EQ(value.has_grid, 1);
  EXPECT_EQ(value.multiplier, 3);
  EXPECT_EQ(value.shift, 4);
  EXPECT_EQ(value.zero_point, -2);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST(Module, IsRefusedWithTheLabelsOfTheSpecification) {
  std::vector<uint8_t> bytes = Bytes(kTwo);
  const auto label = [&](const tally_load_options* options) {
    tally_module module = {7};
    Error error;
    const tally_status status = tally_module_load_bytes(bytes.data(), bytes.size(), options, &module, &error);
    EXPECT_EQ(status, error.status);
    EXPECT_EQ(module.handle, 0u);
    return std::string(error.stage) + " " + error.label;
  };
  tally_load_options options = Options();
  options.gas_limit = 1;
  EXPECT_EQ(label(&options), "refused gas_limit");
  options = Options();
  options.memory_limit = 1;
  EXPECT_EQ(label(&options), "refused memory_limit");
  options = Options();
  options.max_bytes = 10;
  EXPECT_EQ(label(&options), "file file_size");
  options = Options();
  options.gas_limit = -1;
  EXPECT_EQ(label(&options), "request api_option");
  bytes.pop_back();
  EXPECT_EQ(label(nullptr), "malformed unexpected_end");
  bytes = {'n', 'o', 'n', 'e'};
  EXPECT_EQ(label(nullptr), "malformed bad_magic");
}

TEST(Module, FilesThatAreNone) {
  tally_module module = {};
  Error error;
  EXPECT_EQ(tally_module_load_file("/nowhere", nullptr, &module, &error), TALLY_NOT_FOUND);
  EXPECT_STREQ(error.label, "file_open");
  EXPECT_EQ(tally_module_load_file(nullptr, nullptr, &module, &error), TALLY_INVALID_ARGUMENT);
  EXPECT_STREQ(error.label, "api_null");
  EXPECT_EQ(tally_module_load_descriptor(-1, nullptr, &module, &error), TALLY_NOT_FOUND);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(tally_module_load_descriptor(pipes[0], nullptr, &module, &error), TALLY_NOT_FOUND);
  close(pipes[0]);
  close(pipes[1]);
}

// Bytes that are lent are given back once: when the last who has them is gone, or at once.
TEST(Module, GivesBackWhatItWasLent) {
  int released = 0;
  tally_load_options options = Options();
  options.user = &released;
  options.release = [](void* user) { ++*static_cast<int*>(user); };
  const std::vector<uint8_t> made = Bytes(kTwo);
  const AlignedVector<uint8_t> bytes(made.begin(), made.end());
  tally_module module = {};
  tally_plan plan = {};
  ASSERT_EQ(tally_module_load_bytes(bytes.data(), bytes.size(), &options, &module, nullptr), TALLY_OK);
  ASSERT_EQ(tally_plan_make(module, nullptr, &plan, nullptr), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
  EXPECT_EQ(released, 1);
  EXPECT_NE(tally_module_load_bytes(bytes.data(), 3, &options, &module, nullptr), TALLY_OK);
  EXPECT_EQ(released, 2);
  EXPECT_NE(tally_module_load_bytes(bytes.data(), bytes.size(), &options, nullptr, nullptr), TALLY_OK);
  EXPECT_EQ(released, 3);
  AlignedVector<uint8_t> elsewhere(bytes.size() + 1);
  std::ranges::copy(bytes, elsewhere.begin() + 1);
  ASSERT_EQ(tally_module_load_bytes(elsewhere.data() + 1, bytes.size(), &options, &module, nullptr),
            TALLY_OK);
  EXPECT_EQ(released, 4);  // it was copied
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  EXPECT_EQ(released, 4);
}

TEST(Structs, MayBeOlderOrNewerThanTheLibrary) {
  struct Newer {
    tally_load_options options;
    uint64_t more;
  } newer = {};
  newer.options.size = sizeof newer;
  const std::vector<uint8_t> bytes = Bytes(kTwo);
  tally_module module = {};
  Error error;
  EXPECT_EQ(tally_module_load_bytes(bytes.data(), bytes.size(), &newer.options, &module, &error), TALLY_OK);
  struct NewerInfo {
    tally_module_info info;
    uint64_t more;
  } info = {};
  info.info.size = sizeof info;
  info.more = 7;
  EXPECT_EQ(tally_module_get_info(module, &info.info, &error), TALLY_OK);
  EXPECT_EQ(info.info.size, sizeof info);
  EXPECT_EQ(info.more, 7u);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  newer.more = 1;
  EXPECT_NE(tally_module_load_bytes(bytes.data(), bytes.size(), &newer.options, &module, &error), TALLY_OK);
  EXPECT_STREQ(error.label, "api_struct");
  newer.options.size = 8;
  EXPECT_NE(tally_module_load_bytes(bytes.data(), bytes.size(), &newer.options, &module, &error), TALLY_OK);
  EXPECT_STREQ(error.label, "api_struct");
  error.size = 8;  // nothing can be said
  EXPECT_EQ(tally_module_load_bytes(bytes.data(), bytes.size(), nullptr, &module, &error),
            TALLY_INVALID_ARGUMENT);
}

TEST(Engines, AreListed) {
  tally_engine_info info = {.size = sizeof info};
  std::string names;
  size_t count = 0;
  for (; tally_engine(count, &info, nullptr) == TALLY_OK; ++count) names += info.name + std::string(" ");
  EXPECT_EQ(names, "formal reference cpu cuda ");
  EXPECT_STRNE(tally_version(), "");
  EXPECT_EQ(tally_spec_version(), 1u);
}

}  // namespace
}  // namespace tally::api
