"""What clients see of `tally serve`. Run by //tests/server:serve_test."""

import concurrent.futures
import hashlib
import json
import os
import signal
import struct
import subprocess
import time
import unittest

from serving import PIXELS, Server, TALLY, Workplace, image_request, tally, until, write_npy


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Workplace()
        cls.addClassCleanup(cls.place.cleanup)
        cls.place.add_model()
        cls.place.add_model("floats", version=3, config={"floats": True})
        cls.place.add_model("poor", config={"gas_limit": 1000})
        cls.server = Server(cls.place)
        cls.addClassCleanup(cls.server.stop)
        tally("run", cls.place.module, "--input", f"image={cls.place.path('image.npy')}", "-o", cls.place.path("out"))
        content = cls.place.path("out/probabilities.npy").read_bytes()
        cls.expected = list(struct.unpack("<10h", content[-20:]))

    def refused(self, status, label, answer):
        self.assertEqual((status, label), (answer[0], answer[1].get("label")), answer)
        self.assertGreater(len(answer[1]["error"]), 10)

    def test_server_and_models_describe_themselves(self):
        self.assertEqual(self.server.get("/v2")[1]["extensions"], ["binary_tensor_data", "model_repository", "receipt"])
        self.assertEqual(self.server.get("/v2/health/live"), (200, {"live": True}))
        self.assertEqual(self.server.get("/v2/health/ready"), (200, {"ready": True}))
        self.assertEqual(self.server.get("/v2/models/digits/ready"), (200, {"name": "digits", "ready": True}))
        status, model = self.server.get("/v2/models/digits/versions/1")
        self.assertEqual(status, 200)
        self.assertEqual(model["inputs"], [{"name": "image", "datatype": "INT8", "shape": [1, 1, 8, 8]}])
        self.assertEqual(model["outputs"], [{"name": "probabilities", "datatype": "INT16", "shape": [1, 10]}])
        self.assertEqual(model["versions"], ["1"])
        module = json.loads(tally("validate", self.place.module, "--json"))
        self.assertEqual(model["parameters"]["module"], module["module_id"])
        self.assertEqual(self.server.get("/v2/models/floats")[1]["inputs"][0]["datatype"], "FP32")
        index = self.server.call("POST", "/v2/repository/index")[2]
        self.assertIn({"name": "floats", "version": "3", "state": "READY", "reason": ""}, index)

    def test_integers_give_what_tally_run_gives(self):
        for datatype in ("INT8", "UINT8", "INT16", "INT64", "UINT64"):
            status, answer = self.server.infer(image_request(datatype=datatype) | {"id": "7"})
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["outputs"][0]["data"], self.expected)
            self.assertEqual((answer["id"], answer["model_name"], answer["model_version"]), ("7", "digits", "1"))

    def test_floats_are_put_on_the_grid_as_tally_run_does(self):
        reals = [p / 16 + 0.03 for p in PIXELS]
        reals = list(struct.unpack("<64f", struct.pack("<64f", *reals)))
        write_npy(self.place.path("reals.npy"), reals, [1, 1, 8, 8], "<f4")
        tally("run", self.place.module, "--input", f"image={self.place.path('reals.npy')}", "-o", self.place.path("of_reals"))
        expected = struct.unpack("<10h", self.place.path("of_reals/probabilities.npy").read_bytes()[-20:])
        status, answer = self.server.infer(image_request(reals, "FP32"))
        self.assertEqual((status, answer["outputs"][0]["data"]), (200, list(expected)))
        self.assertEqual(answer["outputs"][0]["datatype"], "INT16")
        tally("run", self.place.module, "--input", f"image={self.place.path('reals.npy')}", "--float", "-o",
              self.place.path("of_reals"))
        content = self.place.path("of_reals/probabilities.npy").read_bytes()
        expected = [float(x) for x in struct.unpack("<10f", content[-40:])]
        for model, output in (("floats", {}), ("digits", {"outputs": [{"name": "probabilities", "parameters": {"datatype": "FP32"}}]})):
            status, answer = self.server.infer(image_request(reals, "FP32") | output, model)
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["outputs"][0]["datatype"], "FP32")
            self.assertEqual(struct.pack("<10f", *answer["outputs"][0]["data"]), struct.pack("<10f", *expected))

    def test_tensors_travel_in_bytes(self):
        image = {"name": "image", "shape": [1, 1, 8, 8], "datatype": "INT8", "parameters": {"binary_data_size": 64}}
        header = json.dumps({"inputs": [image],
                             "parameters": {"binary_data_output": True}}).encode()
        status, headers, body = self.server.call("POST", "/v2/models/digits/infer", header + bytes(PIXELS),
                                                 {"Inference-Header-Content-Length": str(len(header))})
        self.assertEqual(status, 200, body)
        length = int(headers["Inference-Header-Content-Length"])
        self.assertEqual(json.loads(body[:length])["outputs"][0]["parameters"], {"binary_data_size": 20})
        self.assertEqual(body[length:], struct.pack("<10h", *self.expected))

    def test_curl_gets_a_receipt_that_tally_verifies(self):
        request = image_request() | {"parameters": {"receipt": "trace", "nonce": "5a" * 32}}
        url = f"http://127.0.0.1:{self.server.http}"
        said = subprocess.run(["curl", "-sS", "--fail", "-d", json.dumps(request), f"{url}/v2/models/digits/infer"], check=True,
                              capture_output=True).stdout
        parameters = json.loads(said)["parameters"]
        self.place.path("a.receipt").write_text(parameters["receipt"])
        verdict = json.loads(tally("verify", self.place.path("a.receipt"), "--key", self.place.path("node.key.pub"), "--nonce", "5a" * 32,
                                   "--module", self.place.module, "--input", f"image={self.place.path('image.npy')}", "--json"))
        self.assertEqual((verdict["receipt"]["verdict"], verdict["run"]["verdict"]), ("VERIFIED", "REPRODUCED"))
        self.assertIn("trace", verdict["compared"])
        kept = subprocess.run(["curl", "-sS", "--fail", f"{url}/v2/receipts/{parameters['claim']}?nonce={'5a' * 32}"], check=True,
                              capture_output=True, encoding="utf-8").stdout
        self.assertEqual(kept, parameters["receipt"])

    def test_repeated_inputs_have_the_same_claim(self):
        pixels = [(p + 1) % 17 for p in PIXELS]
        first = self.server.infer(image_request(pixels), receipt="io")[1]
        second = self.server.infer(image_request(pixels), receipt="io", nonce="11" * 32)[1]
        third = self.server.infer(image_request(pixels), receipt="trace")[1]
        claims = {answer["parameters"]["claim"] for answer in (first, second, third)}
        self.assertEqual(len(claims), 1)
        self.assertEqual(first["outputs"], third["outputs"])
        metrics = self.server.get("/metrics")[1].decode()
        self.assertRegex(metrics, r'nv_cache_num_hits_per_model\{model="digits",version="1"\} [1-9]')
        status, body = self.server.get(f"/v2/receipts/{claims.pop()}?nonce={'11' * 32}")
        self.assertEqual((status, body), (200, json.loads(second["parameters"]["receipt"])))

    def test_the_cache_knows_modules_apart(self):
        other = self.place.path("other.tally")
        tally("quantize", "examples/digits/digits.onnx", "-o", other, "--input-grid", "image=1/8,0,0,16", "--calibration",
              "examples/receipts/digits/calibration.json")
        self.place.add_model("other", module=other.read_bytes())
        self.server.wait_for("model", model="other", state="loaded")
        tally("run", other, "--input", f"image={self.place.path('image.npy')}", "-o", self.place.path("of_other"))
        expected = list(struct.unpack("<10h", self.place.path("of_other/probabilities.npy").read_bytes()[-20:]))
        self.assertNotEqual(expected, self.expected)
        for _ in range(2):
            self.assertEqual(self.server.infer()[1]["outputs"][0]["data"], self.expected)
            self.assertEqual(self.server.infer(model="other")[1]["outputs"][0]["data"], expected)

    def test_public_keys_are_listed(self):
        keys = self.server.get("/v2/keys")[1]["keys"]
        self.assertEqual([key["public_key"] for key in keys], [self.place.path("node.key.pub").read_text()])

    def test_what_is_wrong_has_a_label(self):
        self.refused(404, "model_unknown", self.server.infer(model="none"))
        self.refused(404, "model_unknown", self.server.get("/v2/models/digits/versions/2"))
        self.refused(404, "request_path", self.server.get("/v3"))
        self.refused(404, "request_path", self.server.get("/v2/models/digits/versions/1/ready/more"))
        self.refused(404, "request_path", self.server.get("/v2/models/../../etc/passwd"))
        self.refused(405, "request_method", self.server.get("/v2/models/digits/infer"))
        self.refused(400, "request_form", self.server.infer({"inputs": 7}))
        self.refused(400, "request_tensor", self.server.infer({"inputs": []}))
        self.refused(400, "request_tensor", self.server.infer(image_request() | {"outputs": [{"name": "none"}]}))
        self.refused(400, "request_tensor", self.server.infer(image_request(PIXELS[1:])))
        self.refused(400, "request_tensor", self.server.infer({"inputs": image_request()["inputs"] * 2}))
        self.refused(400, "input_interval", self.server.infer(image_request([17] + PIXELS[1:])))
        self.refused(400, "gas_limit", self.server.infer(model="poor"))
        self.refused(400, "request_form", self.server.get("/v2/receipts/12"))
        self.refused(404, "receipt_unknown", self.server.get(f"/v2/receipts/{'0' * 64}"))

    def test_deadlines_and_sizes_are_kept(self):
        self.refused(504, "request_deadline", self.server.infer(timeout=1))
        connection = self.server.connect()
        connection.putrequest("POST", "/v2/models/digits/infer")
        connection.putheader("Content-Length", str(65 << 20))
        connection.endheaders()
        response = connection.getresponse()
        self.assertEqual((response.status, json.loads(response.read())["label"]), (413, "request_size"))
        connection.close()

    def test_a_trace_context_is_passed_on(self):
        context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        headers = self.server.call("POST", "/v2/models/digits/infer", json.dumps(image_request()), {"traceparent": context})[1]
        self.assertEqual(headers["traceparent"], context)

    def test_many_at_once_have_their_own_answers(self):
        """Requests that a worker takes together are answered as those that come alone."""
        inputs = [[(p * k) % 17 for p in PIXELS] for k in range(1, 40)]
        alone = [self.server.infer(image_request(pixels), "uncached")[1] for pixels in inputs[:1]]
        self.assertIn("label", alone[0])  # there is no such model yet
        self.place.add_model("uncached", config={"cache": False, "batch": 16})
        self.server.wait_for("model", model="uncached", state="loaded")
        alone = [self.server.infer(image_request(pixels), "uncached")[1] for pixels in inputs]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            together = list(pool.map(lambda pixels: self.server.infer(image_request(pixels), "uncached")[1], inputs * 4))
        self.assertEqual(together, alone * 4)


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.place = Workplace()
        self.addCleanup(self.place.cleanup)

    def serve(self, *options, **kwargs):
        server = Server(self.place, *options, **kwargs)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def test_a_bad_file_never_replaces_a_good_one(self):
        self.place.add_model()
        server = self.serve()
        expected = server.infer()
        self.place.add_model(module=self.place.module.read_bytes()[:-1])
        server.wait_for("model", state="refused")
        self.assertEqual(server.infer(), expected)
        index = server.call("POST", "/v2/repository/index")[2]
        self.assertEqual(index[0]["state"], "READY")
        self.assertNotEqual(index[0]["reason"], "")
        self.place.add_model()
        until(lambda: server.call("POST", "/v2/repository/index")[2][0]["reason"] == "")

    def test_versions_come_and_go(self):
        self.place.add_model(version=1)
        server = self.serve()
        self.place.add_model(version=10)
        server.wait_for("model", version="10", state="loaded")
        self.assertEqual(server.infer()[1]["model_version"], "10")
        self.assertEqual(server.infer(model="digits/versions/1")[1]["model_version"], "1")
        os.remove(self.place.models / "digits/10/model.tally")
        server.wait_for("model", version="10", state="unloaded")
        self.assertEqual(server.infer()[1]["model_version"], "1")

    def test_models_are_unloaded_and_loaded(self):
        self.place.add_model()
        server = self.serve()
        self.assertEqual(server.call("POST", "/v2/repository/models/digits/unload")[0], 200)
        self.assertEqual(server.infer()[1]["label"], "model_unready")
        self.assertEqual(server.get("/v2/models/digits/ready")[0], 503)
        time.sleep(1.5)  # a look at the folder does not load it
        self.assertEqual(server.infer()[1]["label"], "model_unready")
        self.assertEqual(server.call("POST", "/v2/repository/models/digits/load")[0], 200)
        self.assertEqual(server.infer()[0], 200)
        self.assertEqual(server.call("POST", "/v2/repository/models/none/load")[2]["label"], "model_unknown")

    def test_a_configuration_that_is_wrong_is_refused(self):
        self.place.add_model(config={"theads": 2})
        server = self.serve()
        self.assertEqual(server.wait_for("model", state="refused")["label"], "model_config")
        self.assertEqual(server.get("/v2/health/ready")[0], 503)

    def test_without_a_key_there_are_no_receipts(self):
        self.place.add_model()
        server = self.serve(key=False)
        self.assertEqual(server.infer()[0], 200)
        self.assertEqual(server.infer(receipt="io")[1]["label"], "receipts_off")
        self.assertEqual(server.get("/v2/keys")[1]["label"], "receipts_off")

    def test_a_token_allows_what_its_line_says(self):
        self.place.add_model()
        lines = [f"{hashlib.sha256(token.encode()).hexdigest()} {scopes} {token}-name\n" for token, scopes in
                 (("reader", "infer"), ("auditor", "audit"), ("operator", "admin"))]
        self.place.path("tokens").write_text("".join(lines))
        server = self.serve("--tokens", self.place.path("tokens"))

        def status(token, method, path, body=None):
            return server.call(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})[0]
        infer, receipt = ("POST", "/v2/models/digits/infer", json.dumps(image_request())), ("GET", f"/v2/receipts/{'0' * 64}")
        index = ("POST", "/v2/repository/index")
        self.assertEqual([status(None, *call) for call in (infer, receipt, index, ("GET", "/metrics"))], [401] * 4)
        self.assertEqual([status("other", *call) for call in (infer, receipt, index)], [401] * 3)
        self.assertEqual([status("reader", *call) for call in (infer, receipt, index)], [200, 403, 403])
        self.assertEqual([status("auditor", *call) for call in (infer, receipt, index, ("GET", "/metrics"))], [403, 404, 403, 200])
        self.assertEqual([status("operator", *call) for call in (infer, receipt, index)], [200, 404, 200])
        self.assertEqual([status(None, "GET", path) for path in ("/v2", "/v2/health/ready", "/v2/keys")], [200] * 3)
        self.place.path("tokens").write_text(lines[2])
        os.kill(server.process.pid, signal.SIGHUP)
        until(lambda: status("reader", *infer) == 401)

    def test_a_client_has_a_rate(self):
        self.place.add_model()
        server = self.serve("--rate", "20")
        answers = [server.call("GET", "/v2/health/live") for _ in range(60)]
        self.assertIn(429, [status for status, _, _ in answers])
        refused = next(answer for answer in answers if answer[0] == 429)
        self.assertEqual((refused[1]["Retry-After"], refused[2]["label"]), ("1", "access_rate"))
        until(lambda: server.get("/v2/health/live")[0] == 200)

    def test_tls_is_served(self):
        self.place.add_model()
        key, certificate = self.place.path("tls.key"), self.place.path("tls.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
                        certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        server = self.serve("--tls-certificate", certificate, "--tls-key", key)
        curl = ["curl", "-sS", "--fail", "--cacert", certificate, "--resolve", f"localhost:{server.http}:127.0.0.1"]
        said = subprocess.run([*curl, "-d", json.dumps(image_request() | {"parameters": {"receipt": "trace"}}),
                               f"https://localhost:{server.http}/v2/models/digits/infer"], check=True, capture_output=True).stdout
        self.assertEqual(json.loads(said)["model_name"], "digits")
        for other in (["curl", "-s", f"http://127.0.0.1:{server.http}/v2"], [*curl, "--tls-max", "1.1", f"https://localhost:{server.http}/v2"]):
            self.assertNotEqual(subprocess.run(other, check=False, capture_output=True).returncode, 0)

    def test_keys_rotate_and_stay_listed(self):
        self.place.add_model()
        server = self.serve()
        first = server.infer(receipt="io")[1]["parameters"]
        self.assertEqual(server.stop(), 0)
        os.remove(self.place.path("node.key"))
        os.rename(self.place.path("node.key.pub"), self.place.path("old.pub"))
        tally("keygen", "-o", self.place.path("node.key"))
        server = self.serve()
        keys = {key["public_key"] for key in server.get("/v2/keys")[1]["keys"]}
        self.assertEqual(keys, {self.place.path(name).read_text() for name in ("old.pub", "node.key.pub")})
        self.assertEqual(server.get(f"/v2/receipts/{first['claim']}")[1], json.loads(first["receipt"]))

    def test_a_key_that_others_may_read_is_refused(self):
        os.chmod(self.place.path("node.key"), 0o644)
        run = subprocess.run([TALLY, "serve", "--models", self.place.models, "--key", self.place.path("node.key"), "--http-port", "0",
                              "--grpc-port", "0"], capture_output=True, encoding="utf-8", timeout=30, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("error[key_mode]", run.stderr)

    def test_an_address_has_one_server(self):
        self.place.add_model()
        server = self.serve()
        for name, port in (("--http-port", server.http), ("--grpc-port", server.grpc)):
            ports = {"--http-port": 0, "--grpc-port": 0} | {name: port}
            options = [str(word) for pair in ports.items() for word in pair]
            run = subprocess.run([TALLY, "serve", "--models", self.place.models, *options],
                                 capture_output=True, encoding="utf-8", timeout=30, check=False)
            self.assertIn("error[server_address]", run.stderr)

    def test_requests_that_are_there_are_answered_before_it_ends(self):
        self.place.add_model(config={"cache": False, "engine": "formal"})  # which takes long
        server = self.serve()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = [pool.submit(server.infer) for _ in range(6)]
            until(lambda: "nv_inference_pending_request_count" in server.get("/metrics")[1].decode())
            self.assertEqual(server.stop(), 0)
            for answer in answers:
                try:
                    self.assertEqual(answer.result()[0], 200)
                except OSError:
                    pass  # it came after the signal

    def test_acknowledged_receipts_outlive_a_kill(self):
        self.place.add_model()
        server = self.serve()
        acknowledged = [server.infer(image_request([k % 17] + PIXELS[1:]), receipt="io")[1]["parameters"] for k in range(17)]
        server.stop(signal.SIGKILL)
        server = self.serve()
        for parameters in acknowledged:
            self.assertEqual(server.get(f"/v2/receipts/{parameters['claim']}")[1], json.loads(parameters["receipt"]))


if __name__ == "__main__":
    unittest.main()
