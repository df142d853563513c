"""A gRPC client that is generated from the published file of the protocol. Run by //tests/server:grpc_test."""

import importlib
import json
import pathlib
import struct
import sys
import tempfile
import unittest

from serving import PIXELS, Server, Workplace, tally

PROTO = pathlib.Path("server/protocol/open_inference.proto").absolute()

try:
    import grpc
    from grpc_tools import protoc
except ImportError:
    print("ran: gRPC: not run: python3-grpc-tools not installed: ./dev setup server", flush=True)
    sys.exit(0)


def generated():
    """The two modules that protoc writes."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "oip.proto").write_text(PROTO.read_text())
        assert protoc.main(["", f"-I{folder}", f"--python_out={folder}", f"--grpc_python_out={folder}", "oip.proto"]) == 0
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("oip_pb2"), importlib.import_module("oip_pb2_grpc")
        finally:
            sys.path.remove(folder)


class GrpcTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.messages, services = generated()
        cls.place = Workplace()
        cls.addClassCleanup(cls.place.cleanup)
        cls.place.add_model()
        cls.server = Server(cls.place)
        cls.addClassCleanup(cls.server.stop)
        channel = grpc.insecure_channel(f"127.0.0.1:{cls.server.grpc}")
        cls.addClassCleanup(channel.close)
        cls.stub = services.GRPCInferenceServiceStub(channel)

    def request(self, pixels=PIXELS, raw=False, **parameters):
        request = self.messages.ModelInferRequest(model_name="digits", id="7")
        tensor = request.inputs.add(name="image", datatype="INT8", shape=[1, 1, 8, 8])
        if raw:
            request.raw_input_contents.append(bytes(pixels))
        else:
            tensor.contents.int_contents.extend(pixels)
        for name, value in parameters.items():
            request.parameters[name].string_param = value
        return request

    def refused(self, code, label, call, request, **kwargs):
        with self.assertRaises(grpc.RpcError) as caught:
            call(request, **kwargs)
        self.assertEqual(caught.exception.code(), code, caught.exception)
        if label:
            self.assertEqual(dict(caught.exception.trailing_metadata())["tally-label"], label)

    def test_server_and_model_describe_themselves(self):
        m = self.messages
        self.assertTrue(self.stub.ServerLive(m.ServerLiveRequest()).live)
        self.assertTrue(self.stub.ServerReady(m.ServerReadyRequest()).ready)
        self.assertTrue(self.stub.ModelReady(m.ModelReadyRequest(name="digits")).ready)
        self.assertEqual(self.stub.ServerMetadata(m.ServerMetadataRequest()).name, "tally")
        model = self.stub.ModelMetadata(m.ModelMetadataRequest(name="digits"))
        self.assertEqual((model.inputs[0].name, model.inputs[0].datatype, list(model.inputs[0].shape)), ("image", "INT8", [1, 1, 8, 8]))
        self.assertEqual(model.properties["module"], json.loads(tally("validate", self.place.module, "--json"))["module_id"])
        index = self.stub.RepositoryIndex(m.RepositoryIndexRequest()).models
        self.assertEqual([(model.name, model.state) for model in index], [("digits", "READY")])

    def test_both_ways_of_tensors_give_what_rest_gives(self):
        expected = self.server.infer()[1]["outputs"][0]["data"]
        for raw in (False, True):
            answer = self.stub.ModelInfer(self.request(raw=raw))
            self.assertEqual(list(struct.unpack("<10h", answer.raw_output_contents[0])), expected)
            self.assertEqual((answer.id, answer.outputs[0].datatype, list(answer.outputs[0].shape)), ("7", "INT16", [1, 10]))

    def test_a_receipt_is_verified_and_rest_has_it_too(self):
        parameters = self.stub.ModelInfer(self.request(receipt="io", nonce="77" * 32)).parameters
        receipt = parameters["receipt"].string_param
        self.place.path("a.receipt").write_text(receipt)
        verdict = json.loads(tally("verify", self.place.path("a.receipt"), "--key", self.place.path("node.key.pub"), "--nonce", "77" * 32,
                                   "--module", self.place.module, "--input", f"image={self.place.path('image.npy')}", "--json"))
        self.assertEqual((verdict["receipt"]["verdict"], verdict["run"]["verdict"]), ("VERIFIED", "REPRODUCED"))
        self.assertEqual(self.server.get(f"/v2/receipts/{parameters['claim'].string_param}?nonce={'77' * 32}")[1], json.loads(receipt))

    def test_what_is_wrong_has_a_code_and_a_label(self):
        code, infer = grpc.StatusCode, self.stub.ModelInfer
        self.refused(code.NOT_FOUND, "model_unknown", self.stub.ModelMetadata, self.messages.ModelMetadataRequest(name="none"))
        self.refused(code.INVALID_ARGUMENT, "request_form", infer, self.request(receipt="all"))
        self.refused(code.INVALID_ARGUMENT, "request_tensor", infer, self.request(PIXELS[1:]))
        self.refused(code.INVALID_ARGUMENT, "request_form", infer, self.request([1000] + PIXELS[1:]))
        self.refused(code.INVALID_ARGUMENT, "input_interval", infer, self.request([100] + PIXELS[1:], raw=True))
        request = self.request(raw=True)
        request.raw_input_contents.append(b"")
        self.refused(code.INVALID_ARGUMENT, "request_form", infer, request)
        request = self.request()
        request.inputs[0].datatype = "BYTES"
        self.refused(code.INVALID_ARGUMENT, "request_form", infer, request)
        request = self.request()
        request.raw_input_contents.append(bytes(65 << 20))
        self.refused(code.RESOURCE_EXHAUSTED, None, infer, request)
        self.refused(code.NOT_FOUND, "model_unknown", self.stub.RepositoryModelLoad,
                     self.messages.RepositoryModelLoadRequest(model_name="none"))

    def test_models_are_unloaded_and_loaded(self):
        m = self.messages
        self.stub.RepositoryModelUnload(m.RepositoryModelUnloadRequest(model_name="digits"))
        self.assertFalse(self.stub.ModelReady(m.ModelReadyRequest(name="digits")).ready)
        self.refused(grpc.StatusCode.UNAVAILABLE, "model_unready", self.stub.ModelInfer, self.request())
        self.stub.RepositoryModelLoad(m.RepositoryModelLoadRequest(model_name="digits"))
        self.assertTrue(self.stub.ModelReady(m.ModelReadyRequest(name="digits")).ready)


if __name__ == "__main__":
    unittest.main()
