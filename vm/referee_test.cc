#include "vm/referee.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Path = std::vector<CallSite>;

// Elements by value; others are not there.
class Given final : public KnownElements {
 public:
  explicit Given(std::map<ValuePlace, std::vector<int64_t>> values) : values_(std::move(values)) {}

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override {
    const auto found = values_.find(place);
    if (found == values_.end()) return absl::NotFoundError("%" + std::to_string(place.id));
    return found->second.at(static_cast<size_t>(element));
  }

 private:
  std::map<ValuePlace, std::vector<int64_t>> values_;
};

struct Case {
  explicit Case(const std::string& text)
      : module(*Validate(*Assemble("tally 1\nprofile core\n" + text))), committed(module) {}

  template <typename Int = FormalInt>
  std::string Judge(const ValuePlace& place, int64_t element, Given given) const {
    const absl::StatusOr<Int> value = Referee<Int>(module, committed, given).Judge(place, element);
    if (value.ok()) return std::to_string(static_cast<int64_t>(*value));
    const std::string label = ErrorLabel(value.status());
    return label.empty() ? std::string(value.status().message()) : label;
  }

  ValidModule module;
  CommittedValues committed;
};

TEST(Referee, ComputesFoldedValuesOnTheWay) {
  const Case c(
      "param %0 \"x\" [3] in [-9, 9]\n%1 = abs %0\n%2 = negative %1\n%3 = relu %2\nresult %2 \"y\"\nresult "
      "%3 \"z\"\n");
  EXPECT_EQ(c.Judge({{}, 2}, 1, Given({{{{}, 0}, {1, -7, 2}}})), "-7");
  EXPECT_EQ(c.Judge({{}, 3}, 0, Given({{{{}, 2}, {5, 0, 0}}})), "element_interval");  // -|x| is never 5
  EXPECT_EQ(c.Judge({{}, 3}, 0, Given({{{{}, 2}, {-5, 0, 0}}})), "0");
}

TEST(Referee, NamesWhatIsNotThere) {
  const Case c(
      "param %0 \"x\" [3] in [-9, 9]\nparam %1 \"i\" [1] in [0, 2]\n%2 = take %0, %1 {axis = [0]}\nresult %2 "
      "\"y\"\n");
  EXPECT_EQ(c.Judge({{}, 2}, 0, Given({{{{}, 1}, {2}}})), "%0");
  EXPECT_EQ(c.Judge({{}, 2}, 0, Given({{{{}, 0}, {1, 2, 3}}})), "%1");
  EXPECT_EQ(c.Judge({{}, 2}, 0, Given({{{{}, 0}, {1, 2, 3}}, {{{}, 1}, {2}}})), "3");
}

TEST(Referee, RefusesElementsThatNoRunHas) {
  const Case c("param %0 \"x\" [2] in [-9, 9]\n%1 = abs %0\nresult %1 \"y\"\n");
  for (const int64_t lie : {int64_t{10}, int64_t{-10}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(c.Judge({{}, 1}, 1, Given({{{{}, 0}, {0, lie}}})), "element_interval") << lie;
    EXPECT_EQ(c.Judge<TrappingInt>({{}, 1}, 1, Given({{{{}, 0}, {0, lie}}})), "element_interval") << lie;
  }
}

// Whoever judges what nobody has validated says how much an element may ask for.
TEST(Referee, DoesNoMoreWorkThanItMay) {
  const Case c(
      "param %0 \"x\" [10] in [-9, 9]\n%1 = reduce %0 {kind = sum, axes = [0], keepdims = false}\n"
      "result %1 \"y\"\n");
  Given given({{{{}, 0}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9}}});
  const auto judge = [&](int64_t most) {
    return Referee<TrappingInt>(c.module, c.committed, given, most).Judge({{}, 1}, 0);
  };
  EXPECT_EQ(ErrorLabel(judge(9).status()), "judgement_size") << "a region of ten";
  EXPECT_EQ(static_cast<int64_t>(*judge(1000)), 54);
}

// One element is read, and as many places of a window are looked at as gas is paid for.
TEST(Referee, CountsWorkThatReadsNothing) {
  const Case c(
      "param %0 \"x\" [1,1,1,1] in [-9, 9]\nparam %1 \"w\" [1,1,101,101] in [-9, 9]\n"
      "%2 = conv2d %0, %1 {groups = 1, stride = [1, 1], padding = [50, 50], dilation = [1, 1]}\n"
      "result %2 \"y\"\n");
  Given given({{{{}, 0}, {7}}, {{{}, 1}, std::vector<int64_t>(101 * 101, 3)}});
  const auto judge = [&](int64_t most) {
    return Referee<TrappingInt>(c.module, c.committed, given, most).Judge({{}, 2}, 0);
  };
  EXPECT_EQ(ErrorLabel(judge(100).status()), "judgement_size");
  EXPECT_EQ(static_cast<int64_t>(*judge(1'000'000)), 21);
}

// The proof that a sum fits knows the elements of constants. Wrong ones are found out, too.
TEST(Referee, RefusesConstantsWithWhichNothingIsProven) {
  const std::string top = std::to_string(int64_t{1} << 62), x = std::to_string((int64_t{1} << 47) - 1);
  const Case c("param %0 \"x\" [2] in [-" + x + ", " + x + "]\n%1 = constant i32 [2] {32768, 1}\n" +
               "%2 = constant i64 [2] {0, " + top + "}\n%3 = constant i8 [2] {30, 30}\n" +
               "%4 = rescale %0, %1, %2, %3 {axis = 0, zero_in = 0, rounding = half_up, zero_out = 0, "
               "lo = -9, hi = 9}\nresult %4 \"y\"\n");
  const auto given = [&](int64_t addend) {
    return Given({{{{}, 0}, {(int64_t{1} << 47) - 1, 0}},
                  {{{}, 1}, {32768, 1}},
                  {{{}, 2}, {addend, int64_t{1} << 62}},
                  {{{}, 3}, {30, 30}}});
  };
  EXPECT_EQ(c.Judge<TrappingInt>({{}, 4}, 0, given(0)), "9");
  EXPECT_EQ(c.Judge<TrappingInt>({{}, 4}, 0, given(int64_t{1} << 62)), "element_overflow");
  EXPECT_EQ(c.Judge({{}, 4}, 0, given(int64_t{1} << 62)), "9");  // in Z everything fits
}

// %0 is doubled where the condition holds, else negated.
TEST(Referee, FollowsTheBranchThatRan) {
  const Case c(
      "param %0 \"x\" [2] in [-9, 9]\nparam %1 \"c\" [] in [0, 1]\n"
      "%2 = if %1, %0 {then_function = 1, else_function = 2}\nresult %2 \"y\"\n"
      "function 1\nparam %0 [2] in [-9, 9]\n%1 = elemwise_add %0, %0\nresult %1\n"
      "function 2\nparam %0 [2] in [-9, 9]\n%1 = negative %0\nresult %1\n");
  const Path then = {{0, 0}}, otherwise = {{0, 1}};
  EXPECT_EQ(c.Judge({{}, 2}, 1, Given({{{{}, 1}, {1}}, {{then, 1}, {2, 14}}})), "14");
  EXPECT_EQ(c.Judge({{}, 2}, 1, Given({{{{}, 1}, {0}}, {{otherwise, 1}, {-1, -7}}})), "-7");
  EXPECT_EQ(c.Judge({then, 1}, 1, Given({{{{}, 0}, {1, 7}}})), "14");
}

// Two states that change places, a slice of each trip, and an output.
constexpr char kLoop[] =
    "param %0 \"a\" [1] in [-9, 9]\nparam %1 \"b\" [1] in [-9, 9]\nparam %2 \"s\" [5,2] in [-9, 9]\n"
    "%3, %4, %5 = loop %0, %1, %2 {body = 1, trips = 5, states = 2, scanned = 1, condition = false}\n"
    "result %3 \"a\"\nresult %4 \"b\"\nresult %5 \"o\"\n"
    "function 1\nparam %0 [] in [0, 4]\nparam %1 [1] in [-9, 9]\nparam %2 [1] in [-9, 9]\n"
    "param %3 [2] in [-9, 9]\n%4 = negative %3\nresult %2\nresult %1\nresult %4\n";

TEST(Referee, FollowsStatesThatTripsPassOn) {
  const Case c(kLoop);
  const Given given({{{{}, 0}, {3}}, {{{}, 1}, {4}}});
  EXPECT_EQ(c.Judge({{}, 3}, 0, given), "4");  // five changes of place
  EXPECT_EQ(c.Judge({{}, 4}, 0, given), "3");
  const Path trip = {{0, 2}};
  EXPECT_EQ(c.Judge({trip, 4}, 1, Given({{{{}, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}})), "-5");
  EXPECT_EQ(c.Judge({{}, 5}, 5, Given({{{trip, 4}, {0, -5}}})), "-5");
}

TEST(Referee, CountsTheTripsByTheirConditions) {
  const Case c(
      "param %0 \"c\" [] in [0, 1]\nparam %1 \"x\" [] in [0, 9]\n"
      "%2, %3, %4 = loop %0, %1 {body = 1, trips = 4, states = 1, scanned = 0, condition = true}\n"
      "result %2 \"x\"\nresult %3 \"o\"\nresult %4 \"n\"\n"
      "function 1\nparam %0 [] in [0, 3]\nparam %1 [] in [0, 9]\n"
      "%2 = constant i8 [] {2}\n%3 = broadcast_greater %2, %0\n%4 = clip %1 {a_min = 1, a_max = 9}\n"
      "result %3\nresult %4\nresult %1\n");
  const auto trip = [](int64_t i) { return Path{{0, i}}; };
  const Given given({{{{}, 0}, {1}},
                     {{{}, 1}, {7}},
                     {{trip(0), 3}, {1}},
                     {{trip(1), 3}, {1}},
                     {{trip(2), 3}, {0}},
                     {{trip(0), 4}, {7}},
                     {{trip(1), 4}, {8}},
                     {{trip(2), 4}, {9}}});
  EXPECT_EQ(c.Judge({{}, 4}, 0, given), "3");
  EXPECT_EQ(c.Judge({{}, 2}, 0, given), "9");
  EXPECT_EQ(c.Judge({{}, 3}, 2, given), "8");  // from the trip before
  EXPECT_EQ(c.Judge({{}, 3}, 3, given), "0");  // no such trip ran
  EXPECT_EQ(c.Judge({{}, 4}, 0, Given({{{{}, 0}, {0}}})), "0");
}

}  // namespace
}  // namespace tally
