// The contracts of the judge on a machine: its rows first, in the order of gen_operators.py, and the judge of
// all.
import { bytesOf, withAddresses } from "./abi.mjs";

export const REFEREES = [
  "Pointwise", "Products", "Reductions", "Norms", "Gathers", "Ranks", "Images", "Detections", "Cells", "Suppressions",
];

// The address of the judge.
export async function deployJudge(machine, contracts) {
  const referees = [];
  for (const name of REFEREES) referees.push(await machine.deploy(bytesOf(contracts[name].code)));
  return machine.deploy(withAddresses(contracts.Judge.code, referees));
}
