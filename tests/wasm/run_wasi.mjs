// run_wasi.mjs PROGRAM ARGUMENT..: runs a program of C++ that was built with --config=wasm, in node. It has
// the standard streams, arguments and variables, and no files.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: process.env });
const program = await WebAssembly.compile(readFileSync(process.argv[2]));
const imports = { env: {}, ...wasi.getImportObject() };
for (const { module, name } of WebAssembly.Module.imports(program)) {
  imports[module][name] ??= () => -52; // ENOSYS: calls that WASI does not have
}
process.exitCode = wasi.start(await WebAssembly.instantiate(program, imports));
