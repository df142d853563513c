// Deploys the prize, and takes it:
//
//   prize.mjs MODULES CONTRACTS_JSON URL ACCOUNT_FILE deploy GAME MODULE_ID BOUNDS DIGIT WEI
//   prize.mjs MODULES CONTRACTS_JSON URL ACCOUNT_FILE take PRIZE CLAIM RUN_FOLDER
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callOf, creationOf } from "../../chain/abi.mjs";
import { Node } from "../../chain/node.mjs";

const [modules, contractsFile, url, account, command, ...words] = process.argv.slice(2);
const contracts = JSON.parse(readFileSync(contractsFile, "utf8"));
const node = await Node.create(modules, url, readFileSync(account, "utf8"));

// The elements of an .npy file, as they are in it: row-major, the least significant byte first.
function elementsOf(path) {
  const file = readFileSync(path);
  return new Uint8Array(file.subarray(10 + file.readUInt16LE(8)));
}

if (command === "deploy") {
  const [game, module, bounds, digit, wei] = words;
  const verifier = await node.deploy(creationOf(contracts.Verifier, game, "0x" + module, "0x" + bounds));
  const prize = await node.deploy(creationOf(contracts.Prize, verifier, digit), BigInt(wei));
  console.log(JSON.stringify({ verifier, prize }));
} else {
  const [prize, claim, folder] = words;
  const [drawing, scores] = ["inputs", "results"].map((of) => elementsOf(join(folder, of, "000000.npy")));
  const { gasUsed } = await node.send(prize, callOf(contracts.Prize, "take", claim, drawing, scores));
  console.log(`${node.address} has the prize, for ${Number(gasUsed)} gas`);
}
