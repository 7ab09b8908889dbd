// Runs that Python has described, once more: a checksum of all that changes, after every round and,
// at the beginning, after every activation. Works in Node and on a page.

const TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  let value = number;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(simulation) {
  let value = 0xffffffff;
  for (const handle of Object.values(simulation.arrays)) {
    for (const byte of simulation.engine.bytes(handle)) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  }
  return (value ^ 0xffffffff) >>> 0;
}

export function rerun(amoebot, { shape, options, steps, rounds, by_hand, to_and_fro }) {
  const simulation = new amoebot.Simulation(shape, options), found = [];
  for (let step = 0; step < steps; step++) {
    simulation.step();
    found.push(checksum(simulation));
  }
  for (const particle of by_hand) {
    simulation.activate(particle);
    found.push(checksum(simulation));
  }
  while (!by_hand.length && !simulation.finished && simulation.rounds < rounds) {
    simulation.round();
    found.push(checksum(simulation), simulation.phase);
  }
  const result = { ...simulation.result(), seed: null };
  for (const [round, position] of to_and_fro) {
    simulation.goto(round, position);
    found.push(checksum(simulation), simulation.position);
  }
  return { found, result };
}

export function generated(amoebot, [text, seed]) {
  const { shape } = new amoebot.Simulation(text, { shape_seed: seed });
  return [...shape.nodes];
}
