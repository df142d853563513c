"""Disputes between programs: nodes that are honest and such that lie, a referee, and each of them killed in the middle.
Run by //tests/server:disputes_test."""

import http.client
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

LYING_NODE = os.path.abspath(sys.argv.pop(2))

from serving import Program, Server, TALLY, Workplace, tally, until  # pylint: disable=wrong-import-position


class Between:
    """Passes requests on to a port, and calls `before` with the number of each before that."""

    def __init__(self, port, before):
        self.count = 0
        between = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def pass_on(self):
                between.count += 1
                before(between.count)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    connection.request(self.command, self.path, body)
                    answer = connection.getresponse()
                    status, content = answer.status, answer.read()
                except OSError:
                    return  # the client sees that the connection ends
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    pass  # the client was killed

            do_GET = do_POST = pass_on

            def log_message(self, format, *args):  # pylint: disable=redefined-builtin
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class DisputesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Workplace()
        cls.addClassCleanup(cls.place.cleanup)
        cls.place.add_model()
        cls.key = cls.place.path("node.key.pub")

    def start(self, *command):
        program = Program(*command)
        self.addCleanup(lambda: program.process.poll() is None and program.stop(signal.SIGKILL))
        return program

    def lie(self, what, port=0):
        """A node whose receipt is in the file of that name."""
        return self.start(LYING_NODE, self.place.module, self.place.path("image.npy"), self.place.path("node.key"),
                          self.place.path(f"{what}.receipt"), self.place.path(f"{what}.db"), what, port)

    def referee(self, asserter, *options, port=0, state="referee.db"):
        return self.start(TALLY, "referee", "--asserter", f"http://127.0.0.1:{asserter}", "--key", self.key, "--module",
                          self.place.module, "--state", self.place.path(state), "--port", port, *options)

    def challenge(self, port, receipt, *options):
        command = [TALLY, "dispute", "--against", f"http://127.0.0.1:{port}", "--receipt", self.place.path(f"{receipt}.receipt"),
                   "--module", self.place.module, "--input", f"image={self.place.path('image.npy')}", "--key", self.key,
                   "--output", self.place.path(f"{receipt}.certificate"), "--json", *options]
        run = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", timeout=120, check=False)
        return run, json.loads(run.stdout)

    def convicted(self, port, receipt, *options):
        run, report = self.challenge(port, receipt, *options)
        self.assertEqual(run.returncode, 0, run)
        self.assertTrue(report["convicted"])
        verdict = subprocess.run([TALLY, "verify", self.place.path(f"{receipt}.receipt"), "--key", self.key, "--certificate",
                                  self.place.path(f"{receipt}.certificate"), "--json"], capture_output=True, encoding="utf-8",
                                 timeout=60, check=False)
        self.assertIn('"receipt_convicted"', verdict.stdout, verdict)
        return report

    def refused(self, label, port, receipt, *options):
        run, report = self.challenge(port, receipt, *options)
        self.assertEqual((run.returncode, report["error"]["label"]), (1, label), run)

    def test_a_lying_node_is_convicted(self):
        for what in ("value", "result"):
            report = self.convicted(self.lie(what).http, what)
            self.assertGreater(report["messages"], 2)
            self.assertNotIn("referee", report)

    def test_an_honest_node_is_not(self):
        server = Server(self.place)
        self.addCleanup(server.stop)
        for kind in ("io", "trace"):
            answer = server.infer(receipt=kind)[1]
            self.place.path("honest.receipt").write_text(answer["parameters"]["receipt"])
            self.refused("dispute_agree", server.http, "honest")
        self.refused("dispute_agree", self.lie("nothing").http, "nothing")

    def test_a_node_answers_for_what_it_signed_and_for_nothing_else(self):
        """The challenger's run is the lie here, so that an honest node is asked."""
        server = Server(self.place)
        self.addCleanup(server.stop)
        receipt = server.infer(receipt="trace")[1]["parameters"]["receipt"].encode()
        status, headers, opening = server.call("POST", "/v2/disputes", receipt)
        self.assertEqual(status, 201)
        dispute = headers["Location"]
        query = bytes([0xa4, 1, 1, 2, 0, 3, 0, 4, 8])  # all of the trace
        status, _, answer = server.call("POST", f"{dispute}/1", query)
        self.assertEqual(status, 200, answer)
        self.assertEqual(server.call("POST", f"{dispute}/1", query)[2], answer)
        self.assertEqual(server.call("POST", f"{dispute}/1", query[:-1] + b"\4")[2]["label"], "dispute_turn")
        self.assertEqual(server.call("POST", f"{dispute}/3", query)[2]["label"], "dispute_turn")
        self.assertEqual(server.call("POST", f"{dispute}/2", query[:-1] + b"\4")[2]["label"], "dispute_query")
        self.assertEqual(server.call("POST", f"{dispute}/2", b"\xff")[0], 400)
        self.assertEqual(server.call("POST", f"/v2/disputes/{'0' * 64}/1", query)[2]["label"], "dispute_unknown")
        self.assertEqual(server.call("POST", f"/v2/disputes?id={dispute[-64:]}", receipt)[2], opening)
        self.lie("value")
        self.assertEqual(server.call("POST", "/v2/disputes", self.place.path("value.receipt").read_bytes())[2]["label"], "receipt_unknown")
        for path in ("/v2/disputes/12", "/v2/disputes/", f"{dispute}/x", f"{dispute}/1/2", f"{dispute}/certificate/"):
            self.assertEqual(server.call("POST", path, query)[0], 404, path)
        self.assertEqual(server.stop(), 0)
        server = Server(self.place)  # goes on where it was
        self.addCleanup(server.stop)
        self.assertEqual(server.call("POST", f"{dispute}/1", query)[2], answer)
        one = bytes([0xa4, 1, 1, 2, 0, 3, 2, 4, 1])
        self.assertEqual(server.call("POST", f"{dispute}/2", one)[0], 200)

    def test_a_folder_answers(self):
        folder = self.place.path("recorded")
        tally("trace", self.place.module, "--input", f"image={self.place.path('image.npy')}", "--record", folder)
        asserter = self.start(TALLY, "dispute", "--serve", folder, "--port", 0)
        self.lie("nothing").stop()
        receipt = self.place.path("nothing.receipt").read_bytes()
        connection = http.client.HTTPConnection("127.0.0.1", asserter.http, timeout=60)
        connection.request("POST", "/v2/disputes", receipt)
        self.assertEqual(connection.getresponse().status, 201)
        connection.close()

    def test_a_referee_says_the_same_whoever_is_killed_in_the_middle(self):
        asserter = self.lie("value")
        referee = self.referee(asserter.http)
        expected = self.convicted(referee.http, "value")
        self.assertEqual(expected["referee"]["loser"], "asserter")
        same = [key for key in expected if key not in ("referee", "wrote")]
        for victim in ("asserter", "referee"):
            programs = {"asserter": asserter, "referee": referee}

            def kill(number, victim=victim, programs=programs):
                if number == 3:
                    port = programs[victim].http
                    programs[victim].stop(signal.SIGKILL)
                    programs[victim] = self.lie("value", port) if victim == "asserter" else self.referee(asserter.http, port=port)

            self.place.path("kept.receipt").write_bytes(self.place.path("value.receipt").read_bytes())
            before = self.place.path("value.receipt").read_bytes()
            between = Between(referee.http, kill)
            report = self.convicted(between.port, "value")
            between.close()
            self.assertEqual([report[key] for key in same], [expected[key] for key in same], victim)
            self.assertEqual(report["referee"]["loser"], "asserter")
            asserter, referee = programs["asserter"], programs["referee"]
            self.place.path("value.receipt").write_bytes(before)

    def test_a_challenger_that_is_killed_goes_on(self):
        asserter = self.lie("value")
        referee = self.referee(asserter.http)
        command = [TALLY, "dispute", "--receipt", self.place.path("value.receipt"), "--module", self.place.module, "--input",
                   f"image={self.place.path('image.npy')}", "--id", "7" * 64, "--against"]
        started = []

        def kill(number):
            if number == 3:
                started[0].kill()

        between = Between(referee.http, kill)
        self.addCleanup(between.close)
        started.append(subprocess.Popen([str(word) for word in [*command, f"http://127.0.0.1:{between.port}"]], stderr=subprocess.PIPE))
        self.assertIn(b"dispute 7777", started[0].communicate(timeout=60)[1])
        self.assertEqual(started[0].returncode, -signal.SIGKILL)
        report = self.convicted(referee.http, "value", "--id", "7" * 64)
        self.assertEqual(report["referee"]["dispute"], "7" * 64)

    def test_who_does_not_move_in_time_has_lost(self):
        asserter = self.lie("value")
        referee = self.referee(asserter.http, "--timeout", 2, state="late.db")

        def call(method, path, body=b""):
            connection = http.client.HTTPConnection("127.0.0.1", referee.http, timeout=60)
            connection.request(method, path, body)
            answer = connection.getresponse()
            status, content = answer.status, answer.read()
            connection.close()
            return status, content

        receipt = self.place.path("value.receipt").read_bytes()
        self.assertEqual(call("POST", f"/v2/disputes?id={'1' * 64}", receipt)[0], 201)
        self.assertEqual(json.loads(call("GET", f"/v2/disputes/{'1' * 64}")[1]), {})
        until(lambda: json.loads(call("GET", f"/v2/disputes/{'1' * 64}")[1]))
        verdict = json.loads(call("GET", f"/v2/disputes/{'1' * 64}")[1])
        self.assertEqual((verdict["loser"], verdict["reason"]), ("challenger", "dispute_time"))
        asserter.stop(signal.SIGKILL)
        self.refused("dispute_time", referee.http, "value", "--id", "2" * 64)
        verdict = json.loads(call("GET", f"/v2/disputes/{'2' * 64}")[1])
        self.assertIn("loser", verdict, verdict)
        self.assertEqual((verdict["loser"], verdict["reason"]), ("asserter", "dispute_time"))

    def test_a_referee_judges_for_one_signer_and_its_modules(self):
        asserter = self.lie("value")
        referee = self.referee(asserter.http, state="other.db")
        tally("keygen", "-o", self.place.path("other.key"))
        self.start(LYING_NODE, self.place.module, self.place.path("image.npy"), self.place.path("other.key"),
                   self.place.path("other.receipt"), self.place.path("o.db"), "value")
        connection = http.client.HTTPConnection("127.0.0.1", referee.http, timeout=60)
        connection.request("POST", "/v2/disputes", self.place.path("other.receipt").read_bytes())
        self.assertEqual(json.loads(connection.getresponse().read())["label"], "receipt_signature")
        connection.close()


if __name__ == "__main__":
    unittest.main()
