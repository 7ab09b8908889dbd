// @ts-check
// What was packed with gzip.

/** @param {Uint8Array<ArrayBuffer> | ArrayBuffer} packed @returns {Promise<ArrayBuffer>} */
export function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The same, of what was written in base 64 after that. @param {string} text */
export const unpackText = (text) => unpack(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
