// Deploys a game, with all contracts that it takes, and prints their addresses as JSON:
//
//   deploy.mjs MODULES CONTRACTS_JSON URL ACCOUNT_FILE [NAME=VALUE...]
//
// The file has a private key in hexadecimal. The values are those of Terms in Game.sol, in wei and seconds.
// With judge=ADDRESS, a judge that is there is used, and its contracts are not deployed again.
import { readFileSync } from "node:fs";
import { deployGame, TERMS } from "./deployments.mjs";
import { Node } from "./node.mjs";

const [modules, contractsFile, url, account, ...words] = process.argv.slice(2);
const given = Object.fromEntries(words.map((text) => text.split("=")));
const { judge, ...more } = given;
for (const name of Object.keys(more)) if (!(name in TERMS)) throw new Error(`Terms has no ${name}: ${Object.keys(TERMS)}`);
const terms = Object.fromEntries(Object.entries(TERMS).map(([name, value]) => [name, BigInt(more[name] ?? value)]));
const node = await Node.create(modules, url, readFileSync(account, "utf8"));
const addresses = await deployGame(node, JSON.parse(readFileSync(contractsFile, "utf8")), { terms, judge });
console.log(JSON.stringify({ ...addresses, gas: Number(node.gas) }, null, 2));
