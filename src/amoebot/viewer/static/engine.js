// @ts-check
// The engine of one run: an instance of the WebAssembly module, and what is in its memory. Values are
// behind addresses, as browser/handles.py describes: two numbers for each array, address and length.

/** @typedef {import("./types").About} About */
/** @typedef {{ at: number, length: number }} Handle */

export class Engine {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    /** @type {any} */
    this.calls = new WebAssembly.Instance(module, {}).exports;
  }

  // Memory may move whenever it grows, so views are made anew each time.
  /** @param {Handle} handle */
  bytes({ at, length }, size = 1) { return new Uint8Array(this.calls.memory.buffer, at, length * size); }
  /** @param {Handle} handle */
  integers({ at, length }, each = 1) { return new Int32Array(this.calls.memory.buffer, at, length * each); }

  /** Room for bytes, filled with zeros. @param {number} length @returns {Handle} */
  room(length) {
    const handle = { at: this.calls.allocate(length) >>> 0, length };
    this.bytes(handle).fill(0);
    return handle;
  }

  /** Call a function that returns N arrays, by writing down where they are. @param {number} values @param {(result: number) => void} call */
  results(values, call) {
    const table = this.room(8 * values);
    call(table.at);
    return this.handles(table, values);
  }

  /** @param {Handle} table @param {number} values @returns {Handle[]} */
  handles(table, values) {
    const numbers = new Uint32Array(this.calls.memory.buffer, table.at, 2 * values);
    return Array.from({ length: values }, (_, i) => ({ at: numbers[2 * i], length: numbers[2 * i + 1] }));
  }

  /** Write down where arrays are, for a function to find them. @param {Handle[]} handles */
  table(handles) {
    const table = this.room(8 * handles.length);
    const numbers = new Uint32Array(this.calls.memory.buffer, table.at, 2 * handles.length);
    handles.forEach(({ at, length }, i) => { numbers[2 * i] = at; numbers[2 * i + 1] = length; });
    return table.at;
  }

  /** A copy of whole numbers in memory. @param {ArrayLike<number>} values @returns {Handle} */
  copy(values, each = 1) {
    const { at } = this.room(4 * values.length);
    const handle = { at, length: values.length / each };
    this.integers(handle, each).set(values);
    return handle;
  }

  /** A copy of whole numbers of 64 bits. @param {number[]} values @returns {Handle} */
  longs(values) {
    const { at } = this.room(8 * values.length);
    new BigInt64Array(this.calls.memory.buffer, at, values.length).set(values.map(BigInt));
    return { at, length: values.length };
  }

  /** Do something, and give back all memory that it took. @template T @param {() => T} work @returns {T} */
  briefly(work) {
    const place = this.calls.mark();
    try {
      return work();
    } finally {
      this.calls.release(place);
    }
  }
}
