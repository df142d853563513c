// A game on a chain of its own, whose time is set: calls of its parties, with what each costs.
import { bytesOf, callOf, creationOf, hexOf, labelOf, stringAt, wordAt } from "./abi.mjs";
import { deployGame, TERMS } from "./deployments.mjs";
import { Edr, MOST_GAS } from "./machines.mjs";

const hex = (value) => "0x" + BigInt(value).toString(16);

export class GameWorld {
  static async create(modules, contracts, terms = TERMS) {
    const world = new GameWorld();
    const machine = await Edr.create(modules);
    Object.assign(world, { contracts, terms, machine, chain: machine.chain, ...(await deployGame(machine, contracts, { terms })) });
    world.now = BigInt((await world.chain.request("eth_getBlockByNumber", "latest", false)).timestamp) + 1n;
    world.accounts = world.chain.accounts;
    world.most = new Map(); // gas of a transaction, by function
    world.known = new Set();
    return world;
  }

  deploy = (name, ...values) => this.machine.deploy(creationOf(this.contracts[name], ...values));

  // Calls a function of the game, or of another contract; a label, or "ok" with the receipt.
  async send(from, name, args, { value = 0n, to = this.game, contract = "Game" } = {}) {
    const data = callOf(this.contracts[contract], name, ...args);
    const transaction = { from, to, data: "0x" + hexOf(data), value: hex(value), gas: hex(MOST_GAS) };
    await this.chain.request("evm_setNextBlockTimestamp", hex(this.now));
    const { error } = await this.chain.answer({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [transaction, "pending"] });
    if (error) return { says: labelOf(bytesOf(error.data?.data ?? error.data ?? "")) };
    const receipt = await this.chain.send(transaction);
    if (receipt.status !== "0x1") throw new Error(`${name} fails as a transaction alone`);
    const used = BigInt(receipt.gasUsed);
    if (used > (this.most.get(name)?.gas ?? 0n)) this.most.set(name, { gas: used, bytes: data.length });
    return { says: "ok", receipt, gas: used, bytes: data.length };
  }

  async read(name, ...args) {
    const data = "0x" + hexOf(callOf(this.contracts.Game, name, ...args));
    return bytesOf(await this.chain.request("eth_call", { to: this.game, data }, "latest"));
  }

  balance = async (of) => BigInt(await this.chain.request("eth_getBalance", of, "latest"));
  owed = async (who) => wordAt(await this.read("owed", who), 0);
  // The position of a dispute that an event of the game has.
  positionIn({ logs }) {
    const data = bytesOf(logs.find(({ address }) => address === this.game).data);
    return stringAt(data, 1);
  }

  // Registers a program with its bounds, once; anybody may. What was sent.
  async register(program, bounds) {
    const name = program + bounds;
    if (this.known.has(name)) return [];
    this.known.add(name);
    const sent = [];
    const [of, to] = [this.accounts[0], this.modules];
    const parts = [];
    for (const bytes of [program, bounds]) {
      const addresses = [];
      for (let at = 0; at < bytes.length; at += 2 * PART_BYTES) {
        const part = bytesOf(bytes.slice(at, at + 2 * PART_BYTES));
        sent.push(await this.send(of, "store", [part], { to, contract: "Modules" }));
        addresses.push(sent.at(-1).receipt.logs[0].data);
      }
      parts.push(addresses);
    }
    sent.push(await this.send(of, "register", parts, { to, contract: "Modules" }));
    return sent;
  }
}

// What one transaction stores: 200 gas each as code, besides the calldata.
const PART_BYTES = 24575;
