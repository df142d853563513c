// tally plan: what an engine compiles a module to, pass by pass.
#include <algorithm>
#include <map>

#include "base/cpu_flags.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/load.h"
#include "engines/compile/print_schedule.h"
#include "engines/compile_for.h"
#include "serializer/module_id.h"
#include "vm/text/printer.h"

namespace tally::cli {
namespace {

struct PlanCommandOptions {
  std::string module;
  std::string engine = "cpu";
  // a level of the cpu engine, as EngineOptions; of cuda the GPU's architecture, none of which need be there.
  std::string level;
  int64_t threads = 1;
  std::string dump_after = "place";  // one of PassNames()
  bool json = false;
};

Json ValuesJson(std::span<const ValueId> ids, std::span<const ValueRef> refs) {
  Json values = Json::array();
  for (size_t i = 0; i < std::max(ids.size(), refs.size()); ++i) {
    Json value = Json::object();
    if (i < ids.size()) value["value"] = ids[i];
    if (i < refs.size()) {
      value["buffer"] = refs[i].buffer;
      value["storage"] = StorageName(refs[i].storage);
      value["channels_last"] = refs[i].layout == Layout::kChannelsLast;
    }
    values.push_back(value);
  }
  return values;
}

Json StepsJson(const Schedule& schedule, const ScheduledOp& op) {
  Json steps = Json::array();
  for (const auto& step : op.steps) {
    steps.push_back({{"kernel", step->name()},
                     {"parts", step->parts()},
                     {"reads", step->reads()},
                     {"writes", step->writes()},
                     {"notes", NotesOf(schedule, *step).names()}});
  }
  return steps;
}

Json BufferJson(const Buffer& buffer) {
  Json json = {{"bytes", buffer.size_bytes}};
  if (buffer.alias_of >= 0) {
    json["alias_of"] = buffer.alias_of;
    json["alias_offset"] = buffer.alias_offset;
  }
  if (buffer.is_constant()) json["constant"] = true;
  if (buffer.is_param) json["parameter"] = true;
  if (buffer.overread_bytes > 0) json["overread_bytes"] = buffer.overread_bytes;
  if (buffer.offset >= 0) json["offset"] = buffer.offset;
  return json;
}

Json ScheduleJson(const FunctionView& function, const Schedule& schedule) {
  Json ops = Json::array(), buffers = Json::array();
  for (const ScheduledOp& op : schedule.ops) {
    ops.push_back({{"name", NameOf(function, schedule, op)},
                   {"reads", ValuesJson(op.reads, op.operands)},
                   {"writes", ValuesJson(op.writes, op.results)},
                   {"steps", StepsJson(schedule, op)}});
  }
  for (const Buffer& buffer : schedule.buffers) buffers.push_back(BufferJson(buffer));
  return {{"function", function.function()},
          {"arena_bytes", schedule.arena_bytes},
          {"operations", ops},
          {"buffers", buffers}};
}

std::vector<std::string> PassNames() {
  std::vector<std::string> names = {"lower"};
  for (const PassRow& row : kPasses) names.emplace_back(row.name);
  return names;
}

absl::Status ShowPlan(const PlanCommandOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  std::map<size_t, std::string> texts;  // by function, of which the last is compiled first
  std::map<size_t, Json> schedules;
  const PassObserver after = [&](Pass pass, const FunctionView& function, const Schedule& schedule) {
    if (kPasses[static_cast<size_t>(pass)].name != options.dump_after) return;
    if (options.json) {
      schedules[function.function()] = ScheduleJson(function, schedule);
    } else {
      texts[function.function()] = PrintSchedule(function, schedule);
    }
  };
  ASSIGN_OR_RETURN(const auto lowered,
                   CompileFor(options.engine, module,
                              {.threads = static_cast<int>(options.threads), .level = options.level}, after));
  const std::string text = Print(*lowered.module, {.long_constants = false});
  if (options.json) {
    Json functions = Json::array();
    for (auto& [number, schedule] : schedules) functions.push_back(std::move(schedule));
    PrintJson({{"module_id", ToHex(ModuleId(module->module()))},
               {"engine", options.engine},
               {"after", options.dump_after},
               {"lowered", text},
               {"not_lowered", std::string(lowered.status.message())},
               {"functions", functions}},
              out);
    return absl::OkStatus();
  }
  if (!lowered.status.ok()) out << "not lowered: " << lowered.status.message() << "\n";
  if (options.dump_after == "lower") out << text;
  for (const auto& [number, schedule] : texts) out << schedule;
  return absl::OkStatus();
}

}  // namespace

void AddPlanCommand(CommandLine& line) {
  auto& options = line.Keep<PlanCommandOptions>();
  auto* plan =
      line.app.add_subcommand("plan", "show what an engine compiles a module to, without running it");
  line.ReadsModule(*plan, options.module);
  plan->add_option("--engine", options.engine, "cpu (default) or cuda; no GPU is needed");
  plan->add_option("--level,--arch", options.level,
                   "highest instruction set that kernels may use, of cpu: " + AllCpuLevels() +
                       "; architecture of the GPU, of cuda: " + std::string(kCudaArchs));
  plan->add_option("--threads", options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
  plan->add_option("--dump-after", options.dump_after, "stop after this pass (default: the last)")
      ->check(CLI::IsMember(PassNames()));
  line.ForMachines(*plan, options.json);
  line.Calls(*plan, options, ShowPlan);
}

}  // namespace tally::cli
