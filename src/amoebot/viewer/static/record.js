// @ts-check
// Records as bytes: the stage says which fields they have and where, and this reads them by name.

/** @typedef {import("./types").Place} Place */
/** @typedef {(bytes: Uint8Array, at: number) => number} Reader */

export class Format {
  /** @param {Place[]} places */
  constructor(places) {
    this.places = new Map(places.map(([path, kind, offset]) => [path, { kind, offset }]));
    this.size = Math.max(0, ...places.map(([, kind, offset]) => offset + Number(kind[1])));
  }

  /** What reads a field of the record that begins at some byte. @param {string} path @returns {Reader} */
  reader(path) {
    const { kind, offset } = this.place(path);
    const width = Number(kind[1]), beyond = 256 ** width;
    if (kind === "u1") return (bytes, at) => bytes[at + offset];
    if (kind === "u2") return (bytes, at) => bytes[at + offset] | (bytes[at + offset + 1] << 8);
    return (bytes, at) => {
      let value = 0;
      for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + offset + i];
      return kind[0] === "i" && value >= beyond / 2 ? value - beyond : value;
    };
  }

  /** All fields of a record. @param {Uint8Array} bytes @param {number} at @returns {any} */
  read(bytes, at = 0) {
    return Object.fromEntries([...this.places.keys()].map((path) => [path, this.reader(path)(bytes, at)]));
  }

  /** A record with some fields set, all others zero. @param {Record<string, number>} fields */
  record(fields) {
    const bytes = new Uint8Array(this.size);
    for (const [path, value] of Object.entries(fields)) {
      const { kind, offset } = this.place(path);
      for (let i = 0, rest = value; i < Number(kind[1]); i++, rest = Math.floor(rest / 256)) {
        bytes[offset + i] = rest;
      }
    }
    return bytes;
  }

  /** @param {string} path */
  place(path) {
    const found = this.places.get(path);
    if (!found) throw new Error(`there is no field ${path}`);
    return found;
  }
}
