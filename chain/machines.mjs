// Two machines for contracts: @ethereumjs/evm, in this process, and EDR, by the RPC of `hardhat node`.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const MOST_GAS = 16_777_216n; // of a transaction (EIP-7825)

// A package of a folder that has node_modules.
export async function load(modules, name) {
  const require = createRequire(join(modules, "x.js"));
  return import(pathToFileURL(require.resolve(name)));
}

const SENDER = "f39fd6e51aad88f6f4ce6ab8827279cfffb92266";

// The gas of a transaction with this data before its first instruction, and the least it costs (EIP-7623).
export function calldataGas(data) {
  let zeros = 0;
  for (const byte of data) if (byte === 0) ++zeros;
  const tokens = zeros + 4 * (data.length - zeros);
  return { intrinsic: 21000 + 4 * tokens, floor: 21000 + 10 * tokens };
}

export class EthereumJs {
  static async create(modules) {
    const { createEVM } = await load(modules, "@ethereumjs/evm");
    const { Common, Hardfork, Mainnet } = await load(modules, "@ethereumjs/common");
    const util = await load(modules, "@ethereumjs/util");
    const common = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka });
    const machine = new EthereumJs();
    machine.evm = await createEVM({ common });
    machine.util = util;
    machine.sender = util.createAddressFromString("0x" + SENDER);
    return machine;
  }

  async deploy(code) {
    const result = await this.evm.runCall({ caller: this.sender, data: code, gasLimit: 60_000_000n });
    if (result.execResult.exceptionError) throw new Error(`no deployment: ${result.execResult.exceptionError.error}`);
    return result.createdAddress.toString();
  }

  // What a call returns or reverts with, and its gas without that of the transaction.
  async call(to, data) {
    const { execResult } = await this.evm.runCall({
      caller: this.sender, to: this.util.createAddressFromString(to), data, gasLimit: 400_000_000n });
    return { ok: !execResult.exceptionError, data: execResult.returnValue, gas: execResult.executionGasUsed,
             error: execResult.exceptionError?.error };
  }
}
