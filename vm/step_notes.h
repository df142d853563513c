// The work of a plan's step besides calling its kernel: what it was fused with, and whose bytes it reads and
// writes.
//
//   for (const PlanStep& step : plan->steps()) step.notes.Has(StepNote::kResidualAdded);
//
// For people, and for tests that ask whether plans of many modules have met every combination.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

enum class StepNote : uint8_t {
  // The further work of a GEMM's step, in the order in which it may follow the GEMM.
  kReshape,
  kBias,
  kRescale,
  kRescaleByChannel,
  kClip,
  kLincomb,
  kAdd,
  kAddAndRescale,  // a sum of two values that one rescale reads
  kClipResidual,   // a clip after those
  kTable,
  kPool,
  kConcat,  // into the rows of a longer image
  // How it brings sums to the scale of its result.
  kShort,
  kHighWord,
  kAnyShift,
  kPairs,   // a residual as products of 16 bits
  kHalves,  // a residual as products of halves
  // Where the bytes are.
  kReadsConstant,
  kReadsView,     // bytes that another step wrote as a value of another type
  kReadsPart,     // a part of what another step wrote
  kReadsInput,    // the caller's memory, where it allows that
  kWritesPart,    // for what another step reads as a whole
  kWritesResult,  // the caller's memory, where it allows that
  kInPlace,       // over an operand
};

struct StepNoteRow {
  StepNote note;
  std::string_view name;
};

inline constexpr std::array<StepNoteRow, 24> kStepNotes = {{
    {StepNote::kReshape, "reshape"},
    {StepNote::kBias, "bias"},
    {StepNote::kRescale, "rescale"},
    {StepNote::kRescaleByChannel, "rescale_by_channel"},
    {StepNote::kClip, "clip"},
    {StepNote::kLincomb, "lincomb"},
    {StepNote::kAdd, "add"},
    {StepNote::kAddAndRescale, "add_and_rescale"},
    {StepNote::kClipResidual, "clip_residual"},
    {StepNote::kTable, "table"},
    {StepNote::kPool, "pool"},
    {StepNote::kConcat, "concat"},
    {StepNote::kShort, "short"},
    {StepNote::kHighWord, "high_word"},
    {StepNote::kAnyShift, "any_shift"},
    {StepNote::kPairs, "pairs"},
    {StepNote::kHalves, "halves"},
    {StepNote::kReadsConstant, "reads_constant"},
    {StepNote::kReadsView, "reads_view"},
    {StepNote::kReadsPart, "reads_part"},
    {StepNote::kReadsInput, "reads_input"},
    {StepNote::kWritesPart, "writes_part"},
    {StepNote::kWritesResult, "writes_result"},
    {StepNote::kInPlace, "in_place"},
}};

class StepNotes {
 public:
  constexpr StepNotes() = default;
  constexpr StepNotes(std::initializer_list<StepNote> notes) {
    for (const StepNote note : notes) Add(note);
  }

  constexpr void Add(StepNote note, bool holds = true) { bits_ |= uint32_t{holds} << static_cast<int>(note); }
  constexpr void Add(StepNotes notes) { bits_ |= notes.bits_; }
  constexpr bool Has(StepNote note) const { return (bits_ >> static_cast<int>(note) & 1) != 0; }

  // In the order of the enum.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const StepNoteRow& row : kStepNotes) {
      if (Has(row.note)) names.push_back(row.name);
    }
    return names;
  }

 private:
  uint32_t bits_ = 0;
};

struct PlanStep {
  std::string kernel;
  StepNotes notes;
  size_t function = 0;        // the module's: the entry, or one that instructions name
  int64_t multiply_adds = 0;  // without padding; 0 where the step adds up no products
  int64_t bytes = 0;          // operands, weights, results and working memory
};

}  // namespace tally
