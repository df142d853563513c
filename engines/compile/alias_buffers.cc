#include <algorithm>
#include <limits>

#include "engines/compile/passes.h"

namespace tally {
namespace {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

class BufferAliaser {
 public:
  BufferAliaser(const PassOptions& options, Schedule& schedule)
      : options_(options), schedule_(schedule), last_reads_(schedule.buffers.size()) {
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      for (const ValueRef& x : schedule.ops[i].operands) LastRead(x) = i;
    }
    // Nothing is written over what a caller gave or is to get, or what an observer has not seen.
    for (const auto* values : {&schedule.params, &schedule.results}) {
      for (const ValueRef& value : *values) LastRead(value) = kNever;
    }
    for (const ShownValue& shown : schedule.shown) {
      LastRead(shown.value) = std::max(LastRead(shown.value), shown.steps);
    }
  }

  void Run() {
    for (size_t i = 0; i < schedule_.ops.size(); ++i) {
      ScheduledOp& op = schedule_.ops[i];
      if (op.kind == ScheduledOpKind::kCopy) PlaceInside(op);
      if (op.in_place_operand >= 0 && options_.writes_in_place) WriteInPlace(i, op);
      for (const auto& step : op.steps) {
        for (const ScheduledStep::Overread& overread : step->overreads()) NoteOverread(overread);
      }
    }
    // Runs look up places: one step each.
    for (Buffer& buffer : schedule_.buffers) {
      if (buffer.alias_of < 0) continue;
      const auto [root, offset] = schedule_.PlaceOf(buffer.alias_of);
      buffer.alias_of = root;
      buffer.alias_offset += offset;
    }
  }

 private:
  Buffer& RootOf(const ValueRef& value) { return schedule_.buffers[schedule_.Root(value.buffer)]; }
  // The last operation that reads any of its bytes.
  size_t& LastRead(const ValueRef& value) { return last_reads_[schedule_.Root(value.buffer)]; }

  // The operand becomes the part, where its bytes may move: they are no part of something else, the plan's to
  // place, and not read beyond their end, where the next part may be written meanwhile.
  void PlaceInside(ScheduledOp& op) {
    const ValueRef &x = op.operands[0], &part = op.results[0];
    const BufferId root = schedule_.Root(x.buffer);
    Buffer& buffer = schedule_.buffers[root];
    if (schedule_.IsPart(x.buffer) || buffer.is_constant() || buffer.is_param || buffer.overread_bytes > 0)
      return;
    if (x.storage != part.storage) return;
    const size_t last = LastRead(x);
    const auto [whole, offset] = schedule_.PlaceOf(part.buffer);
    buffer.alias_of = whole;
    buffer.alias_offset = offset;
    last_reads_[whole] = std::max(last_reads_[whole], last);
    op.kind = ScheduledOpKind::kView;
    op.steps.clear();
  }

  void WriteInPlace(size_t i, const ScheduledOp& op) {
    const ValueRef &x = op.operands[op.in_place_operand], &y = op.results[0];
    const auto [root, offset] = schedule_.PlaceOf(x.buffer);
    if (last_reads_[root] > i || schedule_.buffers[root].is_constant()) return;
    for (size_t o = 0; o < op.operands.size(); ++o) {
      if (static_cast<int>(o) != op.in_place_operand && schedule_.Root(op.operands[o].buffer) == root) return;
    }
    if (x.storage != y.storage || x.layout != y.layout || x.type.shape != y.type.shape) return;
    Buffer& result = schedule_.buffers[y.buffer];
    if (result.alias_of >= 0) return;
    last_reads_[root] = std::max(last_reads_[root], last_reads_[y.buffer]);
    result.alias_of = root;
    result.alias_offset = offset;
  }

  void NoteOverread(const ScheduledStep::Overread& overread) {
    const auto [root, offset] = schedule_.PlaceOf(overread.buffer);
    Buffer& buffer = schedule_.buffers[root];
    const int64_t end = offset + schedule_.buffers[overread.buffer].size_bytes + overread.bytes;
    buffer.overread_bytes = std::max(buffer.overread_bytes, end - buffer.size_bytes);
  }

  const PassOptions& options_;
  Schedule& schedule_;
  std::vector<size_t> last_reads_;  // by buffer that is no alias
};

}  // namespace

void AliasBuffers(const PassOptions& options, Schedule& schedule) { BufferAliaser(options, schedule).Run(); }

}  // namespace tally
