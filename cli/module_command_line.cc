#include "base/cpu_flags.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/proof_commands.h"
#include "engines/compile_for.h"

namespace tally::cli {
namespace {

void AddOpsCommand(CommandLine& line) {
  auto& ops_options = line.Keep<ListOperatorsOptions>();
  auto* ops = line.app.add_subcommand("ops", "list the operator table");
  line.ForMachines(*ops, ops_options.json);
  line.Calls(*ops, ops_options, ListOperators);
}

void AddTextCommands(CommandLine& line) {
  auto& diff_options = line.Keep<DiffOptions>();
  auto* diff = line.app.add_subcommand("diff", "show what two modules have in common and what not");
  line.Reads(diff->add_option("a", diff_options.a, "module file"))->required();
  line.Reads(diff->add_option("b", diff_options.b, "module file"))->required();
  line.ForMachines(*diff, diff_options.json);
  line.Calls(*diff, diff_options, DiffModules);

  auto& asm_options = line.Keep<AssembleOptions>();
  auto* assemble = line.app.add_subcommand("asm", "assemble the text form");
  line.Reads(assemble->add_option("text", asm_options.input, "text file (.tallytxt)"))->required();
  line.Writes(assemble->add_option("-o,--output", asm_options.output, "module file"))->required();
  line.ForMachines(*assemble, asm_options.json);
  line.Calls(*assemble, asm_options, AssembleFile);

  auto& dump_options = line.Keep<DumpOptions>();
  auto* dump = line.app.add_subcommand("dump", "print a module as text, with inferred types");
  line.Reads(dump->add_option("module", dump_options.module, "module file"))->required();
  line.Writes(dump->add_option("-o,--output", dump_options.output, "text file; standard output by default"));
  dump->add_flag("--no-constants", dump_options.no_constants,
                 "leave out the elements of long constants; what is printed cannot be assembled");
  line.ForMachines(*dump, dump_options.json);
  line.Calls(*dump, dump_options, DumpModule);

  auto& validate_options = line.Keep<ValidateOptions>();
  auto* validate =
      line.app.add_subcommand("validate", "prove a module and print its id, types, gas and memory");
  line.Reads(validate->add_option("module", validate_options.module, "module file"))->required();
  validate
      ->add_option("--gas-schedule", validate_options.gas_schedule,
                   "tally, or cvm: what cvm-runtime charges for a module of profile cvm")
      ->check(CLI::IsMember({"tally", "cvm"}));
  line.ForMachines(*validate, validate_options.json);
  line.Calls(*validate, validate_options, ValidateModule);
}

void AddRunCommand(CommandLine& line) {
  auto& run_options = line.Keep<RunOptions>();
  auto* run = line.app.add_subcommand("run", "execute a module");
  line.Reads(run->add_option("module", run_options.module, "module file"))->required();
  AddSampleOptions(line, *run, run_options.inputs, "--input", false);
  AddLoopOptions(*run, run_options.inputs);
  run->add_option("--engine", run_options.engine, "formal, reference, cpu (the default) or cuda");
  run->add_option("--arch", run_options.arch,
                  "the most that kernels may use (" + tally::AllCpuLevels() + "); results are the same");
  run->add_option("--threads", run_options.threads, "threads of the engine; scalar engines use one")
      ->check(CLI::Range(1, 1024));
  run->add_option("--repeat", run_options.repeat,
                  "run as many times, and report the least and the median time")
      ->check(CLI::Range(1, 1000000));
  run->add_option("--gas-limit", run_options.gas_limit, "refuse modules that cost more")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--memory-limit", run_options.memory_limit, "refuse modules whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  run->add_flag("--check", run_options.check,
                "compare each value with the references: slow; TALLY_CHECK=1 does it for all runs");
  run->add_flag("--profile", run_options.profile,
                "report what each step takes, beside what this machine can do at most");
  line.Writes(run->add_option("--profile-trace", run_options.profile_trace,
                              "write the steps of the last run here, for ui.perfetto.dev"));
  run->add_flag("--float", run_options.floats, "write results as the floats that they stand for");
  run->add_option("--top", run_options.top, "report the largest elements of each row of the results, so many")
      ->check(CLI::Range(1, 1000));
  line.Reads(
      run->add_option("--labels", run_options.labels, "a text file, whose lines name the elements of a row"));
  line.Named(run->add_option("-o,--output", run_options.output, "folder for the results, one .npy file each"))
      ->required();
  line.ForMachines(*run, run_options.json);
  line.Calls(*run, run_options, RunModule);

  line.Writes(run->add_option("--receipt", run_options.receipt.path,
                              "sign what was run, and write the receipt here"));
  line.Reads(run->add_option("--key", run_options.receipt.key, "private key that signs it, from keygen"));
  run->add_option("--nonce", run_options.receipt.nonce,
                  "64 hexadecimal digits that the requester drew, for the receipt");
  run->add_flag("--trace", run_options.receipt.trace,
                "commit to every step of the run; the receipt names its trace");
}

void AddTraceCommands(CommandLine& line) {
  auto& trace_options = line.Keep<TraceOptions>();
  auto* trace = line.app.add_subcommand("trace", "run a module once, and commit to every step of the run");
  line.Reads(trace->add_option("module", trace_options.module, "module file"))->required();
  AddSampleOptions(line, *trace, trace_options.inputs, "--input", false);
  trace->add_option("--engine", trace_options.engine, "formal, reference, cpu (the default) or cuda");
  trace->add_option("--arch", trace_options.arch,
                    "the most that kernels may use (" + tally::AllCpuLevels() + "); the trace is the same");
  trace->add_option("--threads", trace_options.threads, "threads of the engine; scalar engines use one")
      ->check(CLI::Range(1, 1024));
  trace->add_option("--gas-limit", trace_options.gas_limit, "refuse modules that cost more")
      ->check(CLI::NonNegativeNumber);
  trace->add_option("--memory-limit", trace_options.memory_limit, "refuse modules whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  line.Writes(trace->add_option("-o,--output", trace_options.output, "file of the trace"));
  line.WritesNamed(
      trace->add_option("--record", trace_options.record, "folder for all of the run, to dispute it with"));
  line.ForMachines(*trace, trace_options.json);
  line.Calls(*trace, trace_options, TraceModule);

  auto& judge_options = line.Keep<JudgeElementOptions>();
  auto* judge = line.app.add_subcommand("judge", "run a module once, and judge one element of the run");
  line.Reads(judge->add_option("module", judge_options.module, "module file"))->required();
  AddSampleOptions(line, *judge, judge_options.inputs, "--input", false);
  judge->add_option("--engine", judge_options.engine, "formal, reference, cpu (the default) or cuda");
  judge->add_option("--value", judge_options.value, "number of a value of the entry, as tally dump prints it")
      ->required()
      ->check(CLI::NonNegativeNumber);
  judge->add_option("--element", judge_options.element, "number of its element, row-major")
      ->required()
      ->check(CLI::NonNegativeNumber);
  line.ForMachines(*judge, judge_options.json);
  line.Calls(*judge, judge_options, JudgeElement);
}

void AddDisputeCommands(CommandLine& line) {
  auto& keygen_options = line.Keep<KeygenOptions>();
  auto* keygen = line.app.add_subcommand("keygen", "draw an Ed25519 key to sign receipts with");
  line.WritesNamed(keygen->add_option("-o,--output", keygen_options.key, "file of the private key"))
      ->required();
  line.Writes(keygen->add_option("--public", keygen_options.public_key,
                                 "file of the public key; that of the private one with .pub by default"));
  line.ForMachines(*keygen, keygen_options.json);
  line.Calls(*keygen, keygen_options, GenerateKey);

  const auto for_folders = [&](CLI::App& to, DisputeFolders& folders) {
    line.Reads(to.add_option("--honest", folders.honest,
                             "folder of a run that is checked (tally trace --record)"))
        ->required();
    line.Reads(to.add_option("--claimed", folders.claimed, "folder of the run that is in doubt"))->required();
  };
  auto& certify_options = line.Keep<CertifyOptions>();
  auto* certify = line.app.add_subcommand("certify", "make the certificate that convicts a wrong run");
  for_folders(*certify, certify_options.folders);
  line.Writes(certify->add_option("-o,--output", certify_options.output, "file of the certificate"))
      ->required();
  line.ForMachines(*certify, certify_options.json);
  line.Calls(*certify, certify_options, Certify);

  auto& check_certificate_options = line.Keep<CheckCertificateOptions>();
  auto* check_certificate = line.app.add_subcommand(
      "check-certificate", "say whom a certificate convicts, offline and from it alone");
  line.Reads(check_certificate->add_option("certificate", check_certificate_options.certificate, "its file"))
      ->required();
  check_certificate->add_option("--expansion", check_certificate_options.expansion,
                                "digest of the expansion that the accused has sent: 64 hexadecimal digits");
  line.ForMachines(*check_certificate, check_certificate_options.json);
  line.Calls(*check_certificate, check_certificate_options, CheckCertificateFile);

  auto& dispute_options = line.Keep<DisputeOptions>();
  auto* dispute =
      line.app.add_subcommand("dispute", "play the dispute about a wrong run, to its certificate");
  for_folders(*dispute, dispute_options.folders);
  line.Writes(dispute->add_option("-o,--output", dispute_options.output, "file of the certificate"));
  line.ForMachines(*dispute, dispute_options.json);
  line.Calls(*dispute, dispute_options, Dispute);
}

void AddVerifyCommand(CommandLine& line) {
  auto& verify_options = line.Keep<VerifyOptions>();
  auto* verify =
      line.app.add_subcommand("verify", "check a receipt, and with module and inputs run it again");
  line.Reads(verify->add_option("receipt", verify_options.receipt, "receipt file"))->required();
  line.Reads(verify->add_option("--key", verify_options.key, "public key of the executor"));
  verify->add_option("--nonce", verify_options.nonce, "that of the request: 64 hexadecimal digits");
  line.Reads(verify->add_option("--module", verify_options.module, "module file, to run the claim again"));
  AddSampleOptions(line, *verify, verify_options.inputs, "--input", false);
  line.Reads(verify->add_option("--result", verify_options.results,
                                "[NAME=]FILE.npy: a result at hand, which the receipt has to name"));
  verify->add_option("--engine", verify_options.engine, "formal, reference, cpu (the default) or cuda");
  verify->add_option("--arch", verify_options.arch,
                     "the most that kernels may use (" + tally::AllCpuLevels() + "); results are the same");
  verify->add_option("--threads", verify_options.threads, "threads of the engine")
      ->check(CLI::Range(1, 1024));
  verify->add_option("--gas-limit", verify_options.gas_limit, "do not run a module again that costs more")
      ->check(CLI::NonNegativeNumber);
  verify
      ->add_option("--memory-limit", verify_options.memory_limit,
                   "do not run a module again whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
  line.Reads(verify->add_option("--certificate", verify_options.certificate,
                                "certificate of fraud that is said to be about the receipt"));
  verify->add_option(
      "--expansion", verify_options.expansion,
      "digest of the expansion that the executor has sent in a dispute: 64 hexadecimal digits");
  line.Reads(
      verify->add_option("--origin", verify_options.origin,
                         "the file MODULE.origin: where the module of the receipt is said to come from"));
  line.ForMachines(*verify, verify_options.json);
  line.Calls(*verify, verify_options, VerifyReceiptFile);
}

void AddInfoCommands(CommandLine& line) {
  auto& plan_options = line.Keep<PlanCommandOptions>();
  auto* plan = line.app.add_subcommand("plan", "show what an engine compiles a module to, and run nothing");
  line.Reads(plan->add_option("module", plan_options.module, "module file"))->required();
  plan->add_option("--engine", plan_options.engine, "cpu (the default) or cuda, for which no GPU is needed");
  plan->add_option("--arch", plan_options.arch,
                   "the most that kernels may use: of cpu " + tally::AllCpuLevels() + "; of cuda " +
                       std::string(kCudaArchs));
  plan->add_option("--threads", plan_options.threads, "threads of the engine")->check(CLI::Range(1, 1024));
  plan->add_option("--dump-after", plan_options.dump_after, "the pass to stop after; the last by default")
      ->check(CLI::IsMember(PassNames()));
  line.ForMachines(*plan, plan_options.json);
  line.Calls(*plan, plan_options, ShowPlan);

  auto& info_options = line.Keep<InfoOptions>();
  auto* info = line.app.add_subcommand(
      "info", "describe a module, a model of another framework, or this build and its engines");
  line.Reads(info->add_option("file", info_options.file, "module, or model of another framework"));
  line.ForMachines(*info, info_options.json);
  line.Calls(*info, info_options, ShowInfo);
}

}  // namespace

void AddModuleCommands(CommandLine& line) {
  AddOpsCommand(line);
  AddTextCommands(line);
  AddRunCommand(line);
  AddTraceCommands(line);
  AddDisputeCommands(line);
  AddVerifyCommand(line);
  AddInfoCommands(line);
}

}  // namespace tally::cli
