// A node of a chain, by its JSON-RPC, and an account that pays: what a deployment takes.
//
//   const node = await Node.create(MODULES, "http://127.0.0.1:8545", key);
//   const address = await node.deploy(code);
import { bytesOf, hexOf } from "./abi.mjs";
import { load, MOST_GAS } from "./machines.mjs";

const TIP = 1_000_000_000n; // wei for each gas

export class Node {
  gas = 0n;

  static async create(modules, url, key) {
    const node = new Node();
    const { createFeeMarket1559Tx } = await load(modules, "@ethereumjs/tx");
    const { Common, Hardfork, Mainnet } = await load(modules, "@ethereumjs/common");
    const { privateToAddress } = await load(modules, "@ethereumjs/util");
    const chainId = await ask(url, "eth_chainId");
    const common = new Common({ chain: { ...Mainnet, chainId: Number(chainId) }, hardfork: Hardfork.Osaka });
    Object.assign(node, { url, key: bytesOf(key.trim()), chainId, transactionOf: (fields) => createFeeMarket1559Tx(fields, { common }) });
    node.address = "0x" + hexOf(privateToAddress(node.key));
    return node;
  }

  // Sends a transaction, waits for it, and returns its receipt.
  async send(to, data, value = 0n) {
    const { baseFeePerGas } = await ask(this.url, "eth_getBlockByNumber", "latest", false);
    const transaction = this.transactionOf({
      to, data, value, chainId: this.chainId, gasLimit: MOST_GAS, maxPriorityFeePerGas: TIP, maxFeePerGas: 2n * BigInt(baseFeePerGas) + TIP,
      nonce: await ask(this.url, "eth_getTransactionCount", this.address, "pending"),
    }).sign(this.key);
    const hash = await ask(this.url, "eth_sendRawTransaction", "0x" + hexOf(transaction.serialize()));
    for (;;) {
      const receipt = await ask(this.url, "eth_getTransactionReceipt", hash);
      if (receipt?.status === "0x1") {
        this.gas += BigInt(receipt.gasUsed);
        return receipt;
      }
      if (receipt) throw new Error(`transaction ${hash} has failed`);
      await new Promise((done) => setTimeout(done, 250));
    }
  }

  deploy = async (code, value) => (await this.send(undefined, code, value)).contractAddress;
}

async function ask(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
