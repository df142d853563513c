// The contracts on a machine: those of the judge, its rows first, in the order of gen_operators.py; and those
// of a game.
import { creationOf } from "./abi.mjs";

export const REFEREES = [
  "Pointwise", "Products", "Reductions", "Norms", "Gathers", "Ranks", "Images", "Detections", "Cells", "Suppressions",
];

// The address of the judge.
export async function deployJudge(machine, contracts) {
  const referees = [];
  for (const name of REFEREES) referees.push(await machine.deploy(creationOf(contracts[name])));
  return machine.deploy(creationOf(contracts.Judge, referees));
}

// wei and seconds, in the order of the fields of Terms in Game.sol.
export const TERMS = { claimBond: 10n ** 18n, challengeBond: 10n ** 17n, burnt: 5n * 10n ** 17n, window: 86400n, clock: 3600n };

// The addresses of a game, and of all that it takes; `judge` is one that is there already.
export async function deployGame(machine, contracts, { terms = TERMS, judge } = {}) {
  judge ??= await deployJudge(machine, contracts);
  const modules = await machine.deploy(creationOf(contracts.Modules, judge));
  const rules = await machine.deploy(creationOf(contracts.Rules));
  const game = await machine.deploy(creationOf(contracts.Game, rules, modules, Object.values(terms)));
  return { judge, modules, rules, game };
}
