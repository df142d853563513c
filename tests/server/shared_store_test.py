"""Two servers on one PostgreSQL answer for each other's receipts. Run by //tests/server:shared_store_test."""

import json
import unittest

import postgres
from serving import Server, Workplace


class SharedStoreTest(unittest.TestCase):
    def test_two_servers_answer_for_each_other(self):
        place = Workplace()
        self.addCleanup(place.cleanup)
        place.add_model()
        with postgres.running() as url:
            servers = [Server(place, store=url), Server(place, store=url)]
            receipts = [server.infer(receipt="io", nonce=f"{i:064x}")[1]["parameters"] for i, server in enumerate(servers)]
            for server in servers:
                for i, parameters in enumerate(receipts):
                    kept = server.get(f"/v2/receipts/{parameters['claim']}?nonce={i:064x}")
                    self.assertEqual(kept, (200, json.loads(parameters["receipt"])))
                self.assertEqual(len(server.get("/v2/keys")[1]["keys"]), 1)
            for server in servers:
                self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    postgres.skip_without()
    unittest.main()
