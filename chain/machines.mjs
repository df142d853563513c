// The machines that run contracts in tests, with one interface: @ethereumjs/evm, in JavaScript, and EDR, in
// Rust.
//
//   const machine = await EthereumJs.create(modules);   // or await Edr.create(modules)
//   const address = await machine.deploy(code);
//   const { ok, data } = await machine.call(address, input);
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bytesOf, hexOf } from "./abi.mjs";
import { LocalChain } from "./local_chain.mjs";

export const MOST_GAS = 16_777_216n; // that a transaction may take (EIP-7825)

// A package of a folder that has node_modules.
export async function load(modules, name) {
  const require = createRequire(resolve(modules, "x.js"));
  return import(pathToFileURL(require.resolve(name)));
}

// The gas of a transaction before its first instruction, and the least that it costs (EIP-7623).
export function calldataGas(data) {
  let zeros = 0;
  for (const byte of data) if (byte === 0) ++zeros;
  const tokens = BigInt(zeros + 4 * (data.length - zeros));
  return { intrinsic: 21000n + 4n * tokens, floor: 21000n + 10n * tokens };
}

// All of a transaction's gas, of which `execution` is what its instructions take: today, and where each byte
// of calldata costs at least so much (EIP-7976 has 64, EIP-8311 96).
export function transactionGas(data, execution, leastOfByte = 0n) {
  const { intrinsic, floor } = calldataGas(data);
  const proposed = 21000n + leastOfByte * BigInt(data.length);
  return [intrinsic + execution, floor, proposed].reduce((a, b) => (a > b ? a : b));
}

export class EthereumJs {
  name = "ethereumjs";

  static async create(modules) {
    const { createEVM } = await load(modules, "@ethereumjs/evm");
    const { Common, Hardfork, Mainnet } = await load(modules, "@ethereumjs/common");
    const machine = new EthereumJs();
    machine.evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka }) });
    machine.util = await load(modules, "@ethereumjs/util");
    machine.sender = machine.util.createAddressFromString("0x" + "5e".repeat(20));
    return machine;
  }

  async deploy(code) {
    const gasLimit = MOST_GAS - calldataGas(code).intrinsic - 32000n;
    const result = await this.evm.runCall({ caller: this.sender, data: code, gasLimit });
    if (result.execResult.exceptionError) throw new Error(`no deployment: ${result.execResult.exceptionError.error}`);
    return result.createdAddress.toString();
  }

  // What a call returns or reverts with, and the gas of its instructions.
  async call(to, data) {
    const { execResult } = await this.evm.runCall({
      caller: this.sender, to: this.util.createAddressFromString(to), data,
      gasLimit: MOST_GAS - calldataGas(data).intrinsic,
    });
    const error = execResult.exceptionError?.error;
    return { ok: !error, data: execResult.returnValue, gas: execResult.executionGasUsed, error };
  }
}

export class Edr {
  name = "EDR";

  static async create(modules) {
    const machine = new Edr();
    machine.chain = await LocalChain.create(modules);
    return machine;
  }

  async deploy(code) {
    const receipt = await this.chain.send({ data: "0x" + hexOf(code) });
    if (receipt.status !== "0x1") throw new Error("no deployment: it has failed");
    return receipt.contractAddress;
  }

  async call(to, data) {
    const transaction = { to, data: "0x" + hexOf(data), gas: "0x" + MOST_GAS.toString(16) };
    const { result, error } = await this.chain.answer({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [transaction] });
    if (!error) return { ok: true, data: bytesOf(result) };
    return { ok: false, data: bytesOf(error.data?.data ?? error.data ?? ""), error: error.message };
  }
}
