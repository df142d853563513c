// A chain of its own: EDR, Hardhat's machine, in this process; `serve` answers JSON-RPC on a port of this
// machine.
//
//   local_chain.mjs MODULES PORT    prints its address and the keys of its accounts, and goes on
import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { bytesOf } from "./abi.mjs";
import { load, MOST_GAS } from "./machines.mjs";

// Keys that everybody knows, of accounts with 10,000 ether each.
export const KEYS = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => "0x" + n.toString(16).padStart(64, "0"));

export class LocalChain {
  static async create(modules) {
    const edr = (await load(modules, "@nomicfoundation/edr")).default;
    LocalChain.context ??= await contextOf(edr);
    const accounts = await addressesOf(modules);
    const chain = new LocalChain();
    chain.accounts = accounts;
    chain.provider = await LocalChain.context.createProvider(
      edr.L1_CHAIN_TYPE,
      {
        allowBlocksWithSameTimestamp: true,
        allowUnlimitedContractSize: false,
        bailOnCallFailure: true,
        bailOnTransactionFailure: false,
        chainId: 31337n,
        coinbase: bytesOf("c0".repeat(20)),
        defaultTransactionGasLimit: MOST_GAS,
        genesisState: [
          ...edr.l1GenesisState(edr.L1Hardfork.Osaka),
          ...accounts.map((address) => ({ address: bytesOf(address), balance: 10n ** 22n })),
        ],
        hardfork: "osaka",
        initialBaseFeePerGas: 1_000_000_000n,
        initialParentBeaconBlockRoot: bytesOf("00".repeat(32)),
        minGasPrice: 0n,
        mining: { autoMine: true, memPool: { order: edr.MineOrdering.Priority } },
        network: { genesisBlockGasLimit: 60_000_000n },
        networkId: 31337n,
        observability: {},
        ownedAccounts: KEYS,
        precompileOverrides: [],
      },
      { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
      { subscriptionCallback: () => {} },
      new edr.ContractDecoder(),
    );
    return chain;
  }

  // The answer to a request as JSON has it.
  async answer(request) {
    const { data } = await this.provider.handleRequest(JSON.stringify(request));
    return typeof data === "string" ? JSON.parse(data) : data;
  }

  async request(method, ...params) {
    const { result, error } = await this.answer({ jsonrpc: "2.0", id: 1, method, params });
    if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { data: error.data });
    return result;
  }

  // Sends a transaction; its receipt.
  async send(transaction) {
    const hash = await this.request("eth_sendTransaction", { from: this.accounts[0], ...transaction });
    return this.request("eth_getTransactionReceipt", hash);
  }

  async serve(port) {
    const server = createServer(async (incoming, outgoing) => {
      let text = "";
      for await (const part of incoming) text += part;
      outgoing.setHeader("content-type", "application/json");
      try {
        const request = JSON.parse(text);
        outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...(await this.answer(request)) }));
      } catch (error) {
        outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: String(error) } }));
      }
    });
    await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
    return server;
  }
}

// A process has one.
async function contextOf(edr) {
  const context = new edr.EdrContext();
  await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
  return context;
}

async function addressesOf(modules) {
  const { privateToAddress } = await load(modules, "@ethereumjs/util");
  return KEYS.map((key) => "0x" + Buffer.from(privateToAddress(bytesOf(key))).toString("hex"));
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [modules, port] = process.argv.slice(2);
  const chain = await LocalChain.create(modules);
  const server = await chain.serve(Number(port));
  // Time goes on, also where nobody sends anything.
  await chain.request("evm_setIntervalMining", 1000);
  console.log(`http://127.0.0.1:${server.address().port}`);
  chain.accounts.forEach((address, i) => console.log(`${address} ${KEYS[i]}`));
}
