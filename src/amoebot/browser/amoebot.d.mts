/** A node (x, y): x steps to the right, and y steps to the upper right. */
export type Node = [x: number, y: number];

/** A shape string such as "hexagon:20", or the lists that a shape file has. */
export type Shape = string | { name?: string; nodes: Node[]; expanded?: [Node, Node][]; offsets?: number[] };

/** The options of a run, by the names that Python has. */
export interface Options {
  /** The election; by default, the first one inside. */
  algorithm?: string;
  /** What coins, port offsets and orders depend on, from 0 to 2^64 - 1; 0 by default. */
  seed?: number | bigint | string;
  /** What a random shape depends on. */
  shape_seed?: number | bigint | string;
  /** By default, "permutation". */
  scheduler?: string;
  /** Stop after N rounds with the outcome "round-limit". */
  max_rounds?: number | null;
  /** What happens to particles, such as "crash 3@10, corrupt ?@20": after 10 rounds and after 20. */
  faults?: string;
  /** The options of the election. */
  [option: string]: unknown;
}

/** How a run ended. Its options are fields too. */
export interface Result {
  /** "leader", or why there is none. */
  outcome: string;
  /** The nodes of the leader particle: one, or two if it is expanded. */
  leader: Node[] | null;
  /** How many particles declared themselves the leader. */
  leaders: number;
  /** The round, counted from 1, in which the leader was declared, or the last one run. */
  rounds: number;
  /** The round in which the last particle terminated, null if not all have. */
  rounds_terminated: number | null;
  particles: number;
  agents: number;
  outer_boundary_length: number;
  inner_boundaries: number;
  inner_boundary_lengths: number[];
  /** The round by which each milestone was reached, null for those that were not. */
  milestones: Record<string, number | null>;
  /** How the candidates dwindled. */
  candidates: [round: number, left: number][];
  shape: string;
  rules: string;
  scheduler: string;
  algorithm: string;
  seed: number | bigint;
  [option: string]: unknown;
}

/** One run of an election, to step, run, rewind and look into. */
export class Simulation {
  constructor(shape: Shape, options?: Options);
  /** The number of rounds completed. */
  readonly rounds: number;
  /** The number of particle activations in the round under way. */
  readonly position: number;
  /** The number of activations so far of particles that could act. */
  readonly activations: number;
  /** The number of steps so far: by hand, also those of particles that could not act. */
  readonly steps: number;
  /** How the run ended, or null while it goes on. */
  readonly outcome: string | null;
  /** Whether the run has its outcome and, if asked to, every particle has terminated. */
  readonly finished: boolean;
  /** The number of candidates that have started and not withdrawn. */
  readonly candidates: number;
  /** The number of the phase that the run is in. */
  readonly phase: number;
  /** The nodes of the leader particle, or null. */
  readonly leader: Node[] | null;
  /** The particle that was activated last, or null. */
  readonly latest: number | null;
  /** The number of the leader particle, or null. */
  readonly leader_particle: number | null;
  /** The round by which each milestone was reached, null for those still to come. */
  readonly milestones: Record<string, number | null>;
  /** The number of particles, expanded ones counted once. */
  readonly particles: number;
  /** The number of agents on all boundaries. */
  readonly agents: number;
  /** How many units have a memory: agents, or nodes. */
  readonly units: number;
  /** The boundaries, the outer one first: the number of the first agent, and of agents. */
  readonly boundaries: { first: number; length: number }[];
  readonly outer_boundary_length: number;
  readonly seed: bigint;
  /** The name of the scheduler, or "by hand" once a particle was activated so. */
  readonly scheduler: string;
  /** All options of the run but its seed, by name. */
  readonly options: Record<string, any>;
  readonly max_rounds: number | null;
  /** The memory of every agent (or node), as one record each. */
  readonly memory: Record<string, any>[];
  /** Activate the next particle, or the next N. */
  step(activations?: number): void;
  /** Finish the round under way: everyone is activated. */
  round(): void;
  /** Run until the election has an outcome, or until N rounds are over. */
  run(max_rounds?: number | null): Result;
  /** Go to the moment after N rounds, and some activations into the next one. */
  goto(rounds: number, position?: number): void;
  /** Activate a particle of one's own choice, its coins falling as chosen; from here on the run is by hand. */
  activate(particle: number, coins?: number[]): void;
  /** The coins that a particle's activation would flip now: sides, and how the seed lets each fall. */
  coins_ahead(particle: number): [sides: number, outcome: number][];
  /** Whom the schedule activates next, and how its coins fall if that was chosen; null where it ends. */
  readonly next_move: { particle: number; coins: number[] } | null;
  /** Go on with these particles once the schedule made by hand has run out. */
  follow(schedule: Iterable<number>): void;
  /** Let a particle crash now: it keeps its memory, and is never activated again. */
  crash(particle: number): void;
  /** Corrupt a particle's memory now: each field gets the value that somebody has there. */
  corrupt(particle: number): void;
  /** The particles that have crashed so far. */
  readonly crashed: Set<number>;
  /** The particles that have not been activated in the round under way, nor have crashed. */
  readonly waiting: number[];
  /** How the run has gone so far. */
  result(): Result;
}

export interface Amoebot {
  /** The elections that are inside, the default one first. */
  elections: string[];
  /** The schedulers by name, each with what it does. */
  schedulers: Record<string, string>;
  /** The shapes that have a string. */
  shapes: { name: string; signature: string; description: string; example: string }[];
  Simulation: typeof Simulation;
  /** Elect a leader: run an election until it has an outcome. */
  elect(shape: Shape, options?: Options): Result;
}

/** Get the engines ready. What makes no sense is refused by an Error with one sentence. */
export function load(): Promise<Amoebot>;
