// Runs ONNX models with onnxruntime-node on demand: node onnx_runtime.js MODULE. One JSON object a line in and out.
//
//   {"command": "load", "model": FILE, "dims": [1, 3, 224, 224], "threads": 1}   {"version": "1.30.0"}
//   {"command": "run", "iterations": 3, "processor": false}                       {"ms": [17.1, 16.9, 16.8]}
//   {"command": "once", "input": FILE, "output": FILE}                           {}
//   {"command": "open", "model": FILE, "threads": 1, "optimization": "all"}
//                                                              {"inputs": ["image"], "outputs": ["scores"]}
//   {"command": "compute", "inputs": {NAME: {"file": FILE, "type": "int8", "dims": [1, 64]}}, "outputs": {NAME: FILE}}
//                                          {"types": {NAME: "int8"}, "dims": {NAME: [1, 10]}, "ms": 12.3}
//
// Whatever fails answers {"error": TEXT}. Inputs are u8, by default a fixed pseudo-random sequence.
'use strict';

const fs = require('fs');
const readline = require('readline');

let ort = null;
let session = null;
let feeds = null;
let dims = null;

function randomBytes(count) {
  const bytes = new Uint8Array(count);
  let state = 1;
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

async function open(request) {
  ort = ort || require(process.argv[2]);
  if (session) await session.release();
  session = null;  // also where the next one can't be created
  session = await ort.InferenceSession.create(request.model, {
    executionProviders: ['cpu'],
    graphOptimizationLevel: request.optimization || 'all',
    intraOpNumThreads: request.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,  // no remarks about what its optimizer drops
  });
  return {inputs: session.inputNames, outputs: session.outputNames};
}

async function load(request) {
  await open(request);
  dims = request.dims;
  feeds = {x: new ort.Tensor('uint8', randomBytes(dims.reduce((a, b) => a * b, 1)), dims)};
  return {version: ort.env.versions.node};
}

// Milliseconds on the clock on the wall, or of the processor in all threads of this process.
function wall() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function processor() {
  const {user, system} = process.cpuUsage();
  return (user + system) / 1e3;
}

async function run(request) {
  const now = request.processor ? processor : wall;
  const ms = [];
  for (let i = 0; i < request.iterations; ++i) {
    const start = now();
    await session.run(feeds);
    ms.push(now() - start);
  }
  return {ms};
}

async function once(request) {
  const x = new ort.Tensor('uint8', new Uint8Array(fs.readFileSync(request.input)), dims);
  const {y} = await session.run({x});
  fs.writeFileSync(request.output, y.data);
  return {};
}

// Any inputs, as raw little-endian elements.
async function compute(request) {
  const arrays = {
    int8: Int8Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
    float32: Float32Array,
  };
  const given = {};
  for (const [name, input] of Object.entries(request.inputs)) {
    const bytes = new Uint8Array(fs.readFileSync(input.file));
    given[name] = new ort.Tensor(input.type, new arrays[input.type](bytes.buffer), input.dims);
  }
  const start = wall();
  const results = await session.run(given);
  const ms = wall() - start;
  const types = {};
  const dims = {};
  for (const [name, file] of Object.entries(request.outputs)) {
    const {data, type} = results[name];
    fs.writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    types[name] = type;
    dims[name] = results[name].dims;
  }
  return {types, dims, ms};
}

async function main() {
  const commands = {load, run, once, open, compute};
  for await (const line of readline.createInterface({input: process.stdin})) {
    let answer;
    try {
      const request = JSON.parse(line);
      answer = await commands[request.command](request);
    } catch (error) {
      answer = {error: String((error && error.message) || error)};
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
}

main();
