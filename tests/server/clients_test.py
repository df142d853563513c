"""Clients that are slow, idle, gone or hostile. Run by //tests/server:clients_test."""

import json
import os
import resource
import socket
import time
import unittest

from serving import Server, Workplace, image_request, until


class ClientsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Workplace()
        cls.addClassCleanup(cls.place.cleanup)
        cls.place.add_model()
        cls.server = Server(cls.place)
        cls.addClassCleanup(cls.server.stop)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.server.http), 60)
        self.addCleanup(client.close)
        return client

    def test_ten_thousand_idle_connections_stay_and_others_are_served(self):
        most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = 10_000
        if hard < count + 200:
            self.skipTest(f"this machine lets a process open {hard} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (most, hard))
        before = self.server.memory()
        idle = [self.connect() for _ in range(count)]
        self.assertEqual(self.server.infer()[0], 200)
        until(lambda: f"tally_connections {count + 1}\n" in self.server.get("/metrics")[1].decode())
        self.assertLess(self.server.memory() - before, count * 20_000)
        for client in idle[::1000]:  # each is still a connection
            client.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(1000))
        for client in idle:
            client.close()
        until(lambda: "tally_connections 1\n" in self.server.get("/metrics")[1].decode())

    def test_garbage_is_refused_and_the_connection_ends(self):
        for garbage in (b"\0" * 100, b"GET\r\n\r\n", os.urandom(1000), b"GET / HTTP/9.9\r\n\r\n", b"A" * 100_000,
                        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
                        b"POST /v2/models/digits/infer HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                        b"POST /v2/models/digits/infer HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            client = self.connect()
            try:
                client.sendall(garbage)
                said = client.recv(4000)
                self.assertTrue(said == b"" or said.startswith(b"HTTP/1.1 4"), (garbage[:40], said))
                while client.recv(4000):
                    pass
            except OSError:
                pass  # it was reset
        self.assertEqual(self.server.infer()[0], 200)

    def test_a_client_that_leaves_costs_nothing(self):
        body = json.dumps(image_request()).encode()
        head = f"POST /v2/models/digits/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        for sent in (head[:20], head, head + body[:30], head + body):
            for _ in range(50):
                client = self.connect()
                client.sendall(sent)
                client.close()
        until(lambda: "tally_connections 1\n" in self.server.get("/metrics")[1].decode())
        self.assertEqual(self.server.infer()[0], 200)

    def test_a_slow_client_is_served_at_its_pace(self):
        body = json.dumps(image_request()).encode()
        client = self.connect()
        for part in (b"POST /v2/models/digits/infer HT", f"TP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n".encode(), b"\r\n",
                     body[:50], body[50:]):
            time.sleep(0.1)
            client.sendall(part)
        self.assertIn(b"200 OK", client.recv(4000))

    def test_requests_on_one_connection_are_answered_in_turn(self):
        body = json.dumps(image_request()).encode()
        request = f"POST /v2/models/digits/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        client = self.connect()
        client.sendall(request * 20 + b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        said = b""
        while part := client.recv(65536):
            said += part
        self.assertEqual(said.count(b"200 OK"), 21)
        self.assertTrue(said.endswith(b'{"live":true}'))

    def test_a_large_body_arrives_whole(self):
        """Bodies of more than 4 KiB are read in larger pieces than the others."""
        expected = self.server.infer()
        body = json.dumps(image_request())
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for blanks in (0, 4000, 4097, 70_000, 131_072, 1_000_003, 10):
            connection.request("POST", "/v2/models/digits/infer", body[:-1] + " " * blanks + "}")
            answer = connection.getresponse()
            self.assertEqual((answer.status, json.loads(answer.read())), expected, blanks)

    def test_a_body_is_asked_for(self):
        body = json.dumps(image_request()).encode()
        client = self.connect()
        head = f"POST /v2/models/digits/infer HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
        client.sendall(head.encode())
        self.assertIn(b"100 Continue", client.recv(1000))
        client.sendall(body)
        self.assertIn(b"200 OK", client.recv(4000))


if __name__ == "__main__":
    unittest.main()
