#include "engines/compile/print_schedule.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace tally {
namespace {

// The operators of a fusion group, in their order.
std::string NamesOf(const FunctionView& function, const FusionGroup& group) {
  std::string names;
  const size_t end = group.pool.value_or(group.last);
  for (size_t step = group.gemm;;
       step = static_cast<size_t>(function.facts().last_steps[function.result(step)])) {
    absl::StrAppend(&names, names.empty() ? "" : "+", ToAbsl(InfoOf(function.instruction(step).op).name));
    if (step == end) break;
  }
  return names + (group.concat ? "+concatenate" : "");
}

std::string PrintRef(const ValueRef& ref) {
  const bool channels_last = ref.layout == Layout::kChannelsLast;
  return absl::StrCat(ToAbsl(StorageName(ref.storage)), channels_last ? " channels-last" : "", " b",
                      ref.buffer);
}

// Values by their ids, and where they are once they have a place.
std::string PrintValues(std::span<const ValueId> ids, std::span<const ValueRef> refs) {
  std::string text;
  for (size_t i = 0; i < std::max(ids.size(), refs.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ");
    if (i < ids.size()) absl::StrAppend(&text, "%", ids[i]);
    if (i < refs.size()) absl::StrAppend(&text, i < ids.size() ? " " : "", PrintRef(refs[i]));
  }
  return text;
}

std::string PrintBuffers(std::span<const BufferId> ids) {
  return absl::StrJoin(ids, " ", [](std::string* out, BufferId id) { absl::StrAppend(out, "b", id); });
}

std::string PrintStep(const Schedule& schedule, const ScheduledStep& step) {
  std::string text = absl::StrCat("        ", step.name());
  if (step.parts() > 1) absl::StrAppend(&text, " in ", step.parts(), " parts");
  absl::StrAppend(&text, ": ", PrintBuffers(step.reads()), " -> ", PrintBuffers(step.writes()));
  const auto notes = NotesOf(schedule, step).names();
  if (notes.empty()) return text + "\n";
  return text + " (" +
         absl::StrJoin(notes, ", ",
                       [](std::string* out, std::string_view note) { absl::StrAppend(out, ToAbsl(note)); }) +
         ")\n";
}

std::string PrintBuffer(const Schedule& schedule, BufferId id) {
  const Buffer& buffer = schedule.buffers[id];
  std::string text = absl::StrCat("    b", id, "  ", buffer.size_bytes, " bytes");
  if (buffer.alias_of >= 0) absl::StrAppend(&text, " in b", buffer.alias_of, " at ", buffer.alias_offset);
  if (buffer.is_constant()) absl::StrAppend(&text, ", constant");
  if (buffer.is_param) absl::StrAppend(&text, ", parameter");
  if (buffer.overread_bytes > 0) absl::StrAppend(&text, ", read ", buffer.overread_bytes, " bytes further");
  if (buffer.offset >= 0) absl::StrAppend(&text, ", at ", buffer.offset, " of the arena");
  return text + "\n";
}

}  // namespace

std::string NameOf(const FunctionView& function, const Schedule& schedule, const ScheduledOp& op) {
  const auto instruction = [&] { return std::string(InfoOf(function.instruction(op.instruction).op).name); };
  switch (op.kind) {
    case ScheduledOpKind::kFusionGroup: return NamesOf(function, schedule.groups[op.group]);
    case ScheduledOpKind::kView: return instruction() + " (view)";
    case ScheduledOpKind::kCopy: return instruction() + " (copy)";
    case ScheduledOpKind::kConvert: return "convert";
    case ScheduledOpKind::kStore: return "store";
    case ScheduledOpKind::kRoot: return "root";
    case ScheduledOpKind::kInstruction: break;
  }
  return instruction();
}

std::string PrintSchedule(const FunctionView& function, const Schedule& schedule) {
  std::string text = absl::StrCat("function ", function.function(), ": ", schedule.ops.size(), " operations");
  if (schedule.arena_bytes > 0) absl::StrAppend(&text, ", an arena of ", schedule.arena_bytes, " bytes");
  absl::StrAppend(&text, "\n");
  for (size_t i = 0; i < schedule.ops.size(); ++i) {
    const ScheduledOp& op = schedule.ops[i];
    absl::StrAppendFormat(&text, "%5d %s  %s -> %s\n", i, NameOf(function, schedule, op),
                          PrintValues(op.reads, op.operands), PrintValues(op.writes, op.results));
    for (const auto& step : op.steps) absl::StrAppend(&text, PrintStep(schedule, *step));
  }
  if (!schedule.buffers.empty()) absl::StrAppend(&text, "  buffers\n");
  for (BufferId id = 0; id < static_cast<BufferId>(schedule.buffers.size()); ++id) {
    absl::StrAppend(&text, PrintBuffer(schedule, id));
  }
  return text;
}

}  // namespace tally
