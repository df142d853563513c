#!/usr/bin/env python3
"""Audits on many machines at the command line: shards and verdicts as files, jobs of Slurm, and other programs that audit."""

import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from audit_case import AuditCase
from tally_tool import TALLY, sign_lie, tally

os.environ["PATH"] += ":/usr/sbin:/sbin"
WITH_SLURM = all(map(shutil.which, ("slurmctld", "slurmd", "sbatch", "sinfo")))
print("ran: clusters: Slurm: " + ("on this machine" if WITH_SLURM else "not run: not installed: ./dev setup cluster"), flush=True)
GOOD = ("VERIFIED", "REPRODUCED", None)


class ClusterTest(AuditCase):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.folder / "jobs", ignore_errors=True)

    def signed_for_shards(self):
        """Seven claims of two modules, one of them wrong, and one whose input is missing."""
        for number in range(1, 5):
            self.signed(number, *(["--trace"] if number == 2 else []))
        for number in range(5, 7):
            self.signed(number, module="other")
        sign_lie(self.folder, "receipts/001.receipt", "node.key", "receipts/lie.receipt")
        max((self.folder / "store/tensors").glob("*/*.npy"), key=lambda path: path.read_bytes()).unlink()
        expected = {f"{number:03}.receipt": GOOD for number in range(1, 6)}
        return expected | {"006.receipt": ("VERIFIED", "CANNOT_RECOMPUTE", "store_missing"),
                           "lie.receipt": ("VERIFIED", "DIVERGED", "claim_diverged")}

    def test_shards_are_audited_anywhere_and_merged(self):
        expected = self.signed_for_shards()
        said = self.audit("--work", "work.db", "--shards", "jobs", "--shard-claims", "2")
        self.assertEqual((said["shards"], said["runs"]), (4, {}))  # five claims of one module, two of the other
        self.refused("audit_shards", "audit", "receipts", "--work", "work.db", "--shards", "jobs")
        for shard in (0, 2, 3):
            said = json.loads(self.done("audit-shard", f"jobs/{shard}.claims", "--store", "store", "--json"))
            self.assertEqual([file["file"] for file in said["files"]], [f"jobs/{shard}.verdicts"])
        self.done("audit-shard", "jobs/0.claims", "--store", "store")  # once more changes nothing
        code = {True: "audit_diverged", False: None}
        merged = self.audit("--work", "work.db", "--merge", "jobs", label=code["DIVERGED" in self.verdicts()])
        self.assertEqual(sum(merged["runs"].values()), sum(path.read_bytes().count(b"\n") for path in self.verdict_files()))
        self.done("audit-shard", "jobs/1.claims", "--store", "store", "--engine", "formal")
        self.assertEqual(self.lines("--work", "work.db", "--merge", "jobs", label="audit_diverged"), expected)
        self.assertEqual(self.lines("--work", "work.db", label="audit_diverged"), expected)  # nothing is open

    def verdict_files(self):
        return list((self.folder / "jobs").glob("*.verdicts"))

    def verdicts(self):
        return " ".join(path.read_text() for path in self.verdict_files())

    def test_damaged_shards_and_verdicts_are_refused(self):
        self.signed(1)
        self.audit("--work", "work.db", "--shards", "jobs")
        claims = self.folder / "jobs/0.claims"
        text = claims.read_text()
        for damaged in ("", "no json", "[]", "{}", text.replace('"claim_id":"', '"claim_id":"00'), text.replace('"claim":"', '"claim":"A')):
            self.assertNotEqual(damaged, text)
            claims.write_text(damaged)
            self.refused("audit_lines", "audit-shard", "jobs/0.claims", "--store", "store")
        claims.write_text(text)
        self.done("audit-shard", "jobs/0.claims", "--store", "store")
        verdicts = self.folder / "jobs/0.verdicts"
        good = verdicts.read_text()
        for damaged in ("7", good.replace("REPRODUCED", "FINE"), good.replace('"reason":null', '"reason":"claim_diverged"'),
                        good.replace("REPRODUCED", "DIVERGED")):
            verdicts.write_text(damaged)
            self.assertNotEqual(damaged, good)
            self.refused("audit_lines", "audit", "receipts", "--work", "work.db", "--merge", "jobs")
        unknown = json.loads(good) | {"claim_id": "00" * 32}
        verdicts.write_text(json.dumps(unknown) + "\n")  # a claim of another list changes nothing
        self.assertEqual(self.audit("--work", "work.db", "--merge", "jobs")["runs"], {})
        verdicts.write_text(good)
        self.assertEqual(self.lines("--work", "work.db", "--merge", "jobs"), {"001.receipt": GOOD})
        verdicts.write_text(json.dumps(json.loads(good) | {"run": {"verdict": "DIVERGED", "reason": "claim_diverged"}}) + "\n")
        self.refused("audit_disagrees", "audit", "receipts", "--work", "work.db", "--merge", "jobs")

    def test_a_claim_whose_trace_was_asked_for_later_is_open(self):
        self.signed(1)
        self.audit("--work", "work.db", "--shards", "jobs")
        self.done("audit-shard", "jobs/0.claims", "--store", "store")
        self.signed(1, "--trace")  # a receipt with a trace, of the same claim
        self.assertEqual(self.audit("--work", "work.db", "--merge", "jobs")["runs"], {})
        self.assertEqual(self.lines("--work", "work.db"), {"001.receipt": GOOD})

    def with_executor(self, script, label=None):
        """An audit whose program on the cluster is a shell script."""
        program = self.folder / "bin/python3"
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
        run = tally("audit", "receipts", "--store", "store", "--key", "node.key.pub", "--work", "work.db", "--dask", "tcp://host:1",
                    "--json", cwd=self.folder, env=environment)
        said = json.loads(run.stdout)
        self.assertEqual(said.get("error", {}).get("label"), label, run)
        return said

    def test_a_program_that_fails_leaves_its_claims_open(self):
        for number in range(1, 4):
            self.signed(number)
        self.with_executor("exit 3\n", label="audit_executor")
        self.with_executor("exec >&-; cat >/dev/null\n", label="audit_executor")  # it answers nothing
        self.with_executor("kill -9 $$\n", label="audit_executor")
        self.with_executor("echo nonsense; cat >/dev/null\n", label="audit_lines")
        self.with_executor("exec yes nonsense\n", label="audit_lines")  # more than the pipe holds, and never ends
        answer = '{"claim_id": "\\1", "run": {"verdict": "REPRODUCED", "reason": null}}'
        one = """sed -u -n 's/.*"claim_id":"\\([0-9a-f]*\\)".*/%s/p'""" % answer
        self.with_executor(f"head -n 1 | {one}\n", label="audit_executor")  # one of three
        self.assertEqual(self.with_executor(one + "\n")["runs"], {"REPRODUCED": 3})
        self.assertEqual(set(self.lines("--work", "work.db").values()), {GOOD})

    def test_jobs_of_slurm_audit_shards(self):
        if not WITH_SLURM:
            self.skipTest("Slurm is not installed: ./dev setup cluster")
        expected = self.signed_for_shards()
        with Slurm(self.folder) as environment:
            shards = self.audit("--work", "work.db", "--shards", "jobs", "--shard-claims", "2")["shards"]
            job = f"{TALLY} audit-shard jobs/$SLURM_ARRAY_TASK_ID.claims --store store"
            subprocess.run(["sbatch", "--wait", "--quiet", f"--array=0-{shards - 1}", "--output=jobs/%a.log", f"--wrap={job}"],
                           cwd=self.folder, env=environment, check=True, timeout=120)
            self.assertEqual(len(self.verdict_files()), shards)
        self.assertEqual(self.lines("--work", "work.db", "--merge", "jobs", label="audit_diverged"), expected)


class Slurm:
    """A cluster of one node for the time of a test: the environment in which its commands run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons = []

    def __enter__(self):
        host, user, (control, node) = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name, free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={control}
SlurmdPort={node}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={len(os.sched_getaffinity(0))} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
""")
        for name in ("slurmctld", "slurmd"):
            log = open(self.folder / f"{name}.log", "w")
            self.daemons.append(subprocess.Popen([shutil.which(name), "-D"], stdout=log, stderr=log, env=self.environment))
            log.close()
        end = time.monotonic() + 60
        while time.monotonic() < end and all(daemon.poll() is None for daemon in self.daemons):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                                   env=self.environment, timeout=60).stdout
            if "idle" in state:
                return self.environment
            time.sleep(0.1)
        logs = [(self.folder / f"{name}.log").read_text() for name in ("slurmctld", "slurmd")]
        self.__exit__()
        raise AssertionError("no node of Slurm is idle\n" + "\n".join(logs))

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(timeout=60)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


if __name__ == "__main__":
    unittest.main()
