// Modules, and the plans that engines make of them.
import { badRequest } from './errors.js';
import { hexOf, needBytes } from './memory.js';
import { STORAGES, tensorFields, viewOf } from './tensors.js';

const abandoned = new FinalizationRegistry((close) => close());

/** An object that C knows by a number: closed by hand, or once nobody has it any more. */
export class Handle {
  #value;
  #close;

  constructor(instance, kind, value) {
    this.instance = instance;
    this.#value = value;
    this.#close = () => {
      if (!instance.broken) instance.exports[`tally_${kind}_close`](value);
    };
    abandoned.register(this, this.#close, this);
  }

  /** For calls. */
  get handle() {
    return this.#value;
  }

  /** Gives up what it keeps. Further calls are refused with `api_handle`. */
  close() {
    if (this.#value === 0n) return;
    abandoned.unregister(this);
    this.#close();
    this.#value = 0n;
  }
}

// In C 0 is no limit. What would be within a limit of 1 takes nothing.
const limitOf = (limit) => (limit === undefined ? 0n : BigInt(limit) || 1n);

/** Limits of a run, as C has them. */
export const limitFields = ({ gasLimit, memoryLimit } = {}) => {
  return { gas_limit: limitOf(gasLimit), memory_limit: limitOf(memoryLimit) };
};

/** Calls `name`, which makes an object: its handle. */
export function made(instance, room, name, ...args) {
  const at = room.allocate(8);
  instance.memory.view.setBigUint64(at, 0n, true);
  instance.call(name, ...args, at);
  return instance.memory.view.getBigUint64(at, true);
}

/** Calls `name`, which writes 32 bytes: them, in hexadecimal. */
export const digestBy = (instance, name, ...args) =>
  instance.memory.during((room) => {
    const at = room.allocate(32);
    instance.call(name, ...args, at);
    return hexOf(instance.memory.bytes(at, 32));
  });

function valueOf(struct) {
  const rank = struct.get('rank');
  const value = {
    name: struct.get('name'),
    shape: struct.get('shape').slice(0, rank).map(Number),
    storage: STORAGES[struct.get('storage')],
    lowest: struct.get('lowest'),
    highest: struct.get('highest'),
    bytes: struct.get('bytes'),
  };
  if (struct.get('has_grid') === 1) {
    const scale = Number(struct.get('multiplier')) * 2 ** -Number(struct.get('shift'));
    value.grid = { scale, zeroPoint: struct.get('zero_point') };
  }
  return value;
}

/** A module that has been validated: no run of it can overflow. */
export class Module extends Handle {
  /** `bytes`: of the file; `limits`: {gasLimit, memoryLimit, maxBytes}. */
  static load(instance, bytes, { maxBytes, ...limits } = {}) {
    const { memory } = instance;
    needBytes(bytes, 'a module');
    return memory.during((room) => {
      const at = memory.allocateAligned(bytes.length); // C frees it
      memory.bytes(at, bytes.length).set(bytes);
      const options = room.struct('tally_load_options', {
        max_bytes: limitOf(maxBytes),
        ...limitFields(limits),
      });
      return new Module(instance, made(instance, room, 'tally_module_load_owned', at, bytes.length, options.at));
    });
  }

  constructor(instance, handle) {
    super(instance, 'module', handle);
    const { memory } = instance;
    memory.during((room) => {
      const info = room.struct('tally_module_info');
      instance.call('tally_module_get_info', handle, info.at);
      const value = (kind) => (_, index) => {
        const about = room.struct('tally_value_info');
        instance.call(`tally_module_${kind}`, handle, index, about.at);
        return valueOf(about);
      };
      this.params = Array.from({ length: info.get('params') }, value('param'));
      this.results = Array.from({ length: info.get('results') }, value('result'));
      this.gas = info.get('gas');
      this.arenaBytes = info.get('arena_bytes');
      this.constantBytes = info.get('constant_bytes');
      this.instructions = info.get('instructions');
      this.profile = info.get('profile');
      this.specVersion = info.get('spec_version');
    });
  }

  /** The identity of the module, by which claims name it. */
  get id() {
    return (this.#id ??= digestBy(this.instance, 'tally_module_id', this.handle));
  }
  #id;

  /**
   * Everything that is proven of the module, as `tally validate --json` prints it (docs/schemas/validate.json): a text,
   * since JSON.parse rounds integers beyond 2^53.
   */
  factsJson() {
    const { instance } = this;
    return instance.memory.during((room) => {
      const at = room.allocate(4);
      instance.call('tally_module_facts', this.handle, at);
      const text = instance.memory.view.getUint32(at, true);
      try {
        return instance.memory.text(text);
      } finally {
        instance.memory.free(text);
      }
    });
  }

  /** Compiles the module for an engine: {engine, arch, memoryLimit}. */
  plan({ engine = 'cpu', arch, memoryLimit } = {}) {
    const { memory } = this.instance;
    return memory.during((room) => {
      const fields = { engine: room.text(engine).at, memory_limit: limitOf(memoryLimit) };
      const options = room.struct('tally_plan_options', fields);
      if (arch !== undefined) options.set('arch', room.text(arch).at);
      return new Plan(this, made(this.instance, room, 'tally_plan_make', this.handle, options.at));
    });
  }

  /** The digest of the inputs of a run, as claims have it. */
  inputsDigest(inputs) {
    return this.#digestOf('inputs', this.params, inputs);
  }

  /** The same for results. */
  resultsDigest(results) {
    return this.#digestOf('results', this.results, results);
  }

  #digestOf(kind, values, given) {
    return this.instance.memory.during((room) => {
      const { at, count } = tensorsOf(room, values, given);
      return digestBy(this.instance, `tally_module_${kind}_digest`, this.handle, at, count);
    });
  }
}

/** Tensors of C for `values`, of what is given by name, or in their order. */
export function tensorsOf(room, values, given) {
  if (Array.isArray(given)) {
    const fields = given.map((tensor, i) => tensorFields(room, tensor, values[i]?.name ?? `tensor ${i}`));
    return { at: room.structs('tally_tensor', fields), count: fields.length };
  }
  const unknown = Object.keys(given).find((name) => !values.some((value) => value.name === name));
  if (unknown !== undefined) {
    const names = values.map((value) => `'${value.name}'`).join(', ');
    throw badRequest('api_tensor', `there is no '${unknown}': the names are ${names}`);
  }
  const fields = values.map(({ name }) => {
    if (given[name] === undefined) throw badRequest('input_count', `'${name}' is missing`);
    return tensorFields(room, given[name], name);
  });
  return { at: room.structs('tally_tensor', fields), count: fields.length };
}

/** A module compiled for an engine. */
export class Plan extends Handle {
  constructor(module, handle) {
    super(module.instance, 'plan', handle);
    this.module = module;
    const { memory } = module.instance;
    memory.during((room) => {
      const info = room.struct('tally_plan_info');
      module.instance.call('tally_plan_get_info', handle, info.at);
      this.engine = info.get('engine');
      this.keptBytes = info.get('kept_bytes');
      this.memoryBytes = info.get('memory_bytes');
      this.steps = info.get('steps');
    });
  }

  /**
   * Runs the plan. `inputs`: by name, or in a list, arrays of integers, or {data, shape}. Returns the results by name, in
   * arrays of their storage. `limits`: {gasLimit, memoryLimit}.
   */
  run(inputs, limits) {
    const { memory } = this.instance;
    return memory.during((room) => {
      const given = tensorsOf(room, this.module.params, inputs);
      const results = this.module.results.map((value) => roomFor(room.allocateAligned(value.bytes), value));
      this.#call(room, given, results, limits);
      const arrays = results.map(({ storage, data, bytes }) => viewOf(memory, storage, data, bytes).slice());
      return Object.fromEntries(arrays.map((array, i) => [this.module.results[i].name, array]));
    });
  }

  /** Memory for inputs and results that runs use in place. */
  buffers() {
    return new Buffers(this, (room, inputs, results, limits) => this.#call(room, inputs, results, limits));
  }

  #call(room, inputs, results, limits) {
    const options = room.struct('tally_run_options', limitFields(limits));
    const to = room.structs('tally_tensor', results);
    this.instance.call('tally_plan_run', this.handle, inputs.at, inputs.count, to, results.length, options.at);
  }
}

const roomFor = (at, value) => ({ data: at, bytes: value.bytes, storage: STORAGES.indexOf(value.storage) });

/**
 * Inputs and results of a plan in WebAssembly memory: arrays that are written and read without a copy. Take them anew
 * after each call that may have made the memory grow: an array made before is empty then.
 */
class Buffers {
  #plan;
  #run;
  #places;

  constructor(plan, run) {
    this.#plan = plan;
    this.#run = run;
    const { memory } = plan.instance;
    const placesOf = (values) => values.map((value) => roomFor(memory.allocateAligned(value.bytes), value));
    this.#places = { inputs: placesOf(plan.module.params), results: placesOf(plan.module.results) };
  }

  get inputs() {
    return this.#views(this.#plan.module.params, this.#places.inputs);
  }

  get results() {
    return this.#views(this.#plan.module.results, this.#places.results);
  }

  /** Runs the plan on `inputs`, into `results`. */
  run(limits) {
    const { inputs, results } = this.#places;
    this.#plan.instance.memory.during((room) => {
      this.#run(room, { at: room.structs('tally_tensor', inputs), count: inputs.length }, results, limits);
    });
  }

  close() {
    for (const { data } of [...this.#places.inputs, ...this.#places.results]) this.#plan.instance.memory.free(data);
    this.#places = { inputs: [], results: [] };
  }

  #views(values, places) {
    const { memory } = this.#plan.instance;
    const views = places.map(({ storage, data, bytes }) => viewOf(memory, storage, data, bytes));
    return Object.fromEntries(views.map((view, i) => [values[i].name, view]));
  }
}
