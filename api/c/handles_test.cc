#include "api/c/handles.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "base/error.h"

namespace tally::api {
namespace {

struct Fruit {
  static constexpr std::string_view kKind = "fruit";
  static constexpr bool kSurvivesFork = true;
  int weight;
};

struct Thread {
  static constexpr std::string_view kKind = "thread";
  static constexpr bool kSurvivesFork = false;
  bool* is_gone;
  ~Thread() { *is_gone = true; }
};

Handles& Table() { return Handles::Get(); }
uint64_t AddFruit(int weight) { return Table().Add(std::make_shared<const Fruit>(Fruit{weight})); }
std::string LabelOfFruit(uint64_t handle) { return ErrorLabel(Table().Find<Fruit>(handle).status()); }

TEST(Handles, FindWhatTheyAreOf) {
  const uint64_t apple = AddFruit(1), pear = AddFruit(2);
  EXPECT_EQ((*Table().Find<Fruit>(apple))->weight, 1);
  EXPECT_EQ((*Table().Find<Fruit>(pear))->weight, 2);
  EXPECT_TRUE(Table().Remove<Fruit>(apple).ok());
  EXPECT_EQ((*Table().Find<Fruit>(pear))->weight, 2);
  EXPECT_TRUE(Table().Remove<Fruit>(pear).ok());
}

TEST(Handles, AreToldFromThoseThatAreGone) {
  const uint64_t apple = AddFruit(1);
  EXPECT_TRUE(Table().Remove<Fruit>(apple).ok());
  EXPECT_EQ(LabelOfFruit(apple), "api_handle");
  EXPECT_EQ(ErrorLabel(Table().Remove<Fruit>(apple)), "api_handle");
  const uint64_t pear = AddFruit(2);  // in the slot of the apple
  EXPECT_EQ(static_cast<uint32_t>(pear), static_cast<uint32_t>(apple));
  EXPECT_EQ(LabelOfFruit(apple), "api_handle");
  EXPECT_EQ(LabelOfFruit(pear), "");
  EXPECT_TRUE(Table().Remove<Fruit>(pear).ok());
}

TEST(Handles, AreOfOneKind) {
  const uint64_t apple = AddFruit(1);
  EXPECT_EQ(ErrorLabel(Table().Find<Thread>(apple).status()), "api_handle");
  EXPECT_EQ(ErrorLabel(Table().Remove<Thread>(apple)), "api_handle");
  EXPECT_TRUE(Table().Remove<Fruit>(apple).ok());
}

TEST(Handles, NullAndDrawnNumbersAreNone) {
  EXPECT_TRUE(Table().Remove<Fruit>(0).ok());
  for (const uint64_t handle : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}, uint64_t{12345}})
    EXPECT_EQ(LabelOfFruit(handle), "api_handle") << handle;
}

TEST(Handles, WhoFoundAnObjectKeepsIt) {
  bool is_gone = false;
  const uint64_t handle = Table().Add(std::shared_ptr<const Thread>(new Thread{&is_gone}));
  auto found = *Table().Find<Thread>(handle);
  EXPECT_TRUE(Table().Remove<Thread>(handle).ok());
  EXPECT_FALSE(is_gone);
  found = nullptr;
  EXPECT_TRUE(is_gone);
}

TEST(Handles, WhatHasThreadsStaysWithTheParent) {
  bool is_gone = false;
  const uint64_t thread = Table().Add(std::shared_ptr<const Thread>(new Thread{&is_gone}));
  const uint64_t apple = AddFruit(1);
  const pid_t child = fork();
  if (child == 0) {
    bool is_new_gone = false;
    const uint64_t own = Table().Add(std::shared_ptr<const Thread>(new Thread{&is_new_gone}));
    bool ok = ErrorLabel(Table().Find<Thread>(thread).status()) == "api_forked";
    ok &= Table().Remove<Thread>(thread).ok() && !is_gone;
    ok &= LabelOfFruit(apple).empty() && Table().Find<Thread>(own).ok();
    ok &= Table().Remove<Thread>(own).ok() && is_new_gone;
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(Table().Find<Thread>(thread).ok());
  EXPECT_TRUE(Table().Remove<Thread>(thread).ok());
  EXPECT_TRUE(is_gone);
  EXPECT_TRUE(Table().Remove<Fruit>(apple).ok());
}

}  // namespace
}  // namespace tally::api
