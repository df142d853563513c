#include "vm/trace_order.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// The entries of a run with these conditions, from the first to the last: "0.2 %3" is %3 in invocation 2 of
// step 0. A condition that is not given ends them.
std::vector<std::string> EntriesOf(const std::string& text, const std::map<ValuePlace, bool>& conditions) {
  const ValidModule module = *Validate(*Assemble("tally 1\nprofile core\n" + text));
  const CommittedValues committed(module);
  const TraceOrder order(module, committed, [&](const ValuePlace& flag) -> absl::StatusOr<bool> {
    const auto found = conditions.find(flag);
    if (found == conditions.end()) return absl::NotFoundError("unknown");
    return found->second;
  });
  std::vector<std::string> entries;
  auto place = order.First();
  for (; place.ok() && *place; place = order.After(**place)) {
    EXPECT_TRUE(order.Contains(**place));
    std::string& entry = entries.emplace_back();
    for (const CallSite& site : (*place)->path) absl::StrAppend(&entry, site.step, ".", site.invocation, " ");
    absl::StrAppend(&entry, "%", (*place)->id);
  }
  if (!place.ok()) entries.emplace_back(place.status().message());
  return entries;
}

using Entries = std::vector<std::string>;

// Up to three trips; the condition of a trip is %2 there.
constexpr char kLoop[] =
    "param %0 \"c\" [] in [0, 1]\nparam %1 \"x\" [2] in [0, 9]\n"
    "%2, %3 = loop %0, %1 {body = 1, trips = 3, states = 1, scanned = 0, condition = true}\n"
    "result %2 \"x\"\nresult %3 \"n\"\n"
    "function 1\nparam %0 [] in [0, 2]\nparam %1 [2] in [0, 9]\n"
    "%2 = clip %0 {a_min = 0, a_max = 1}\n%3 = clip %1 {a_min = 1, a_max = 9}\nresult %2\nresult %3\n";

ValuePlace ConditionOfTrip(int64_t trip) { return {{{0, trip}}, 2}; }

TEST(TraceOrder, ALoopEndsWhereItsConditionDoes) {
  const ValuePlace start = {{}, 0};
  EXPECT_EQ(EntriesOf(kLoop, {{start, false}}), (Entries{"%2", "%3"}));
  EXPECT_EQ(EntriesOf(kLoop, {{start, true}, {ConditionOfTrip(0), false}}),
            (Entries{"0.0 %2", "0.0 %3", "%2", "%3"}));
  // A trip before the last that there can be.
  EXPECT_EQ(EntriesOf(kLoop, {{start, true}, {ConditionOfTrip(0), true}, {ConditionOfTrip(1), false}}),
            (Entries{"0.0 %2", "0.0 %3", "0.1 %2", "0.1 %3", "%2", "%3"}));
}

TEST(TraceOrder, ALoopHasNoMoreTripsThanItSays) {
  // Nobody asks for the condition of the last.
  EXPECT_EQ(EntriesOf(kLoop, {{{{}, 0}, true}, {ConditionOfTrip(0), true}, {ConditionOfTrip(1), true}}),
            (Entries{"0.0 %2", "0.0 %3", "0.1 %2", "0.1 %3", "0.2 %2", "0.2 %3", "%2", "%3"}));
}

TEST(TraceOrder, AConditionThatIsUnknownIsAnError) {
  EXPECT_EQ(EntriesOf(kLoop, {}), Entries{"unknown"});
  EXPECT_EQ(EntriesOf(kLoop, {{{{}, 0}, true}}), (Entries{"0.0 %2", "0.0 %3", "unknown"}));
}

TEST(TraceOrder, OneBranchRuns) {
  constexpr char kIf[] =
      "param %0 \"x\" [2] in [-9, 9]\nparam %1 \"c\" [] in [0, 1]\n"
      "%2 = if %1, %0 {then_function = 1, else_function = 2}\nresult %2 \"y\"\n"
      "function 1\nparam %0 [2] in [-9, 9]\n%1 = elemwise_add %0, %0\nresult %1\n"
      "function 2\nparam %0 [2] in [-9, 9]\n%1 = negative %0\nresult %1\n";
  EXPECT_EQ(EntriesOf(kIf, {{{{}, 1}, true}}), (Entries{"0.0 %1", "%2"}));
  EXPECT_EQ(EntriesOf(kIf, {{{{}, 1}, false}}), (Entries{"0.1 %1", "%2"}));
}

}  // namespace
}  // namespace tally
