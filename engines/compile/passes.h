// The passes from one function of a module to a program of an engine, in their order (schedule.h).
//
//   const Schedule schedule = CompileFunction(FunctionView(*module, 0), target, {});
//
// A pass is a function over the schedule; each has tests that say when it does something and when it must not
// (passes_test.cc, fusion_groups_test.cc), and the law of tests/property/passes_property_test.cc runs what
// each leaves.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "engines/compile/compile_target.h"
#include "engines/compile/function_view.h"
#include "engines/compile/observed_functions.h"
#include "engines/compile/schedule.h"

namespace tally {

enum class Pass : uint8_t { kFuse, kAssignLayouts, kSelect, kAlias, kPlace };

struct PassRow {
  Pass pass;
  std::string_view name;
};

inline constexpr std::array<PassRow, 5> kPasses = {{
    {Pass::kFuse, "fuse"},
    {Pass::kAssignLayouts, "assign_layouts"},
    {Pass::kSelect, "select"},
    {Pass::kAlias, "alias"},
    {Pass::kPlace, "place"},
}};

// Called after each pass, with what it has left.
using PassObserver = std::function<void(Pass, const FunctionView&, const Schedule&)>;

// How what runs show is brought to the observer.
enum class ShowAs : uint8_t {
  kHeld,       // row-major, in the storage that the program has it in
  kOwnTypes,   // the same in the storage of the types that users know
  kCommitted,  // as kHeld, but in the layout that it is committed to in (base/hash/tensor_leaves.h)
  kRoots,      // the ValueRoot of each, by a step
};

struct PassOptions {
  // The values that runs show, or null. Nothing is fused across what is shown.
  const ObservedFunction* observed = nullptr;
  ShowAs show_as = ShowAs::kHeld;
  // Slices, and what a concatenation is made of, are parts of other values. They keep the whole alive.
  bool parts_are_views = false;
  // Results are written over operands that nothing reads any more, and no observer.
  bool writes_in_place = false;
  PassObserver after = nullptr;
};

// All passes, and then the steps in order in `steps`.
Schedule CompileFunction(const FunctionView& function, CompileTarget& target, const PassOptions& options);

// Operations of instructions and fusion groups, each at the place of the last instruction that it computes. A
// max_pool after a convolution is computed by its step, and convolutions write into the channels of the
// concatenation that alone reads them, where the target can do that.
void Fuse(const FunctionView& function, CompileTarget& target, const PassOptions& options,
          Schedule& schedule);

// Buffers for values, in the layouts in which operations run: an instruction runs channels last where an
// operand is in no other layout and the target can, each conversion is made once. Reshapes, transposes
// between the two layouts and, where parts are views, slices of neighbours become views; a concatenation of
// what is one after the other becomes copies into its parts.
void AssignLayouts(const FunctionView& function, CompileTarget& target, const PassOptions& options,
                   Schedule& schedule);

// Steps, and buffers for their working memory.
void SelectSteps(const FunctionView& function, CompileTarget& target, Schedule& schedule);

// Results over the operand that their steps name, where nothing reads it later; operands of a concatenation
// inside its result, whose copies then go.
void AliasBuffers(const PassOptions& options, Schedule& schedule);

// Every buffer in the arena, for as long as steps use it.
void PlaceBuffers(Schedule& schedule);

// The steps out of the operations, which go; what is shown and held is counted in steps from now on.
void TakeSteps(Schedule& schedule);

}  // namespace tally
