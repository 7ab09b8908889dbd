// What the server sends, and what the modules hand each other. Nothing here runs.

import type { Format } from "./record.js";

export type Place = [path: string, kind: string, offset: number];

/** A constant, or an operation: its operator, then its operands. See algorithms/expressions.py. */
export type Value = any;

export interface Mark {
  form: string; size: Value; when: Value; fill: Value; stroke: Value; width: number;
  out: Value; side: Value; turn: Value; along: boolean; text: Value; afar: boolean;
}
export interface Band { starts: Value; width: number; colours: [string, string] }
export interface Key { words: string; samples: Record<string, number>[] }
export interface Layer {
  id: string; name: string; marks: Mark[]; bands: Band[]; legend: Key[];
  phases: number[] | null; below: boolean; moves: boolean;
}
export interface Lane {
  title: string; section: string; when: Value; is_open: boolean;
  rows: { name: string; value: Value; hint: string }[];
}
export interface Deed { when: Value; sentence: Value }
export interface Series { name: string; colour: string; dash: number[] }
export interface Trace { name: string; colour: string; when: Value; layer: string; tint: number | null }
export interface Question {
  text: string; then: string; rounds: number; answer: Value; among: Value; choices: string[]; right: number;
}
export interface Step {
  title: string; text: string; at: number | string; plus: number; hide: string[];
  plays: number; spotlight: Value; question: Question | null;
}
export interface Tour { shape: string; seed: number; options: Options; steps: Step[] }

export type Options = Record<string, any>;
export type Colours = Record<string, string>;
export type Point = [x: number, y: number];
export interface Box { left: number; right: number; top: number; bottom: number }

/** What never changes about a run: as it is sent, and what decodeStage adds. */
export interface Stage {
  name: string; title: string; shape: string | null; shape_seed: string; seed: string; note: string; rules: string;
  options: Options; defaults: Options; by_hand: number; on_nodes: boolean; particles: number;
  /** What happens to particles, and after how many rounds and activations. */
  faults: [kind: "crash" | "corrupt", particle: number, round: number, position: number][];
  boundaries: [first: number, length: number][];
  phases: [title: string, section: string][];
  milestones: Record<string, string>;
  outcomes: [name: string, sentence: string][];
  sizes: Record<string, number>; forms: Record<string, Point[]>;
  themes: { light: Colours; dark: Colours };
  layers: Layer[]; lanes: Lane[]; deeds: Deed[]; series: Series[]; traces: Trace[]; tour: Tour | null;
  formats: { head: Format; unit: Format; particle: Format };
  /** The kinds of frames and their flags: see render/frames.py. */
  frame: { full: number; changes: number; finished: number; by_hand: number; reached: number };
  nodes: Int32Array; expanded: Int32Array; particle_of_node: Int32Array; node_of_agent: Int32Array;
  pred: Int32Array; succ: Int32Array; facing: Uint8Array; empty: Uint8Array; agent_identifier: Uint8Array;
  /** Of particles: the first node of each. */
  node_of_particle: Int32Array;
  /** Of nodes: how many, where, their rows, and the other node of an expanded particle. */
  count: number; px: Float32Array; py: Float32Array; box: Box;
  rows: Map<number, [first: number, last: number]>; partner: Int32Array;
  /** Of agents: where they are drawn, and on which boundary they are. */
  agents: number; ax: Float32Array; ay: Float32Array; boundary: Int32Array; corner: Uint8Array;
  /** Of units: their nodes, the direction outward, and those of node i: order[first[i]…first[i + 1]]. */
  units: number; node_of_unit: Int32Array; ox: Float32Array; oy: Float32Array;
  first_unit: Int32Array; unit_order: Int32Array;
}

export interface Head {
  kind: number; flags: number; outcome: number; phase: number; round: number; position: number;
  candidates: number; leader: number; latest: number; activations: number;
  units: number; particles: number; unit_bytes: number; particle_bytes: number;
}

/** Where a record is. */
export interface Cell { bytes: Uint8Array; at: number }

/** What an expression is evaluated on. */
export interface Context {
  unit: number; view: Record<string, ArrayLike<number>>; option: Options;
  me: Cell; was: Cell; pred: Cell; pred_was: Cell; succ: Cell; succ_was: Cell;
}
export type Compiled = (context: Context) => any;

/** An activation that is possible now: how its coins fall, and what it would change. */
export interface Move { particle: number; coins: number[]; drawn: boolean; acts: boolean; frame: string }
export interface Moves { scheduled: number; moves: Move[]; last: number }

export interface Survey {
  done: boolean; rounds: number; outcome: string | null; milestones: Record<string, number>;
  bands: [phase: number, begin: number, end: number][]; points: number[][];
}

export interface Run {
  shape: string | { name?: string; nodes: Point[]; expanded?: [Point, Point][] };
  shape_seed?: number | string; seed: number | string; options: Options; schedule?: number[];
  rules?: { name: string; digest: string };
}
export interface Option { name: string; default: any; least?: number; most?: number; help: string }
export interface Election {
  name: string; title: string; source: string; options: Option[];
  presets: { name: string; values: Options; help: string }[];
}
export interface Catalogue {
  shapes: { name: string; signature: string; description: string; example: string; random: boolean }[];
  schedulers: Record<string, string>;
  elections: Election[];
}

/** An answer: frames or a stage as bytes, or an object. */
export type Answer = any;
export interface Source {
  live: boolean; ask(request: Record<string, any>): Promise<Answer>;
  /** Give up what it holds; nothing can be asked after that. */
  close(): void;
}

/** A shape, its nodes sorted by row. */
export interface Shape { name: string; nodes: Int32Array; expanded: Int32Array; offsets: Uint8Array | null }
/** How light the pixels of an image are, row by row. */
export interface Pixels { width: number; light: Uint8Array }
/** A shape as a shape file has it. */
export interface GivenShape { name?: string; nodes: Point[]; expanded?: [Point, Point][]; offsets?: number[] }
export interface Generator {
  name: string; signature: string; description: string; example: string; random: boolean;
  parameters: { name: string; least: number | null; optional: boolean }[];
}

/** What is known of an election beside its module: see browser/about.py. */
export interface About extends Election {
  schedulers: string[]; outcomes: (string | null)[]; phases: number; milestones: string[];
  /** The milestones that every election has. */
  declared: string; terminated: string;
  elects: boolean; rules: { name: string; digest: string } | null; on_nodes: boolean;
  settings: string[]; cursor: Record<string, number>; watch: Record<string, number>;
  unit: PackedRecord; particle: PackedRecord; of_faults: any;
  memory: [path: string, start: number, size: number, limits: [least: number, most: number] | null, isView: boolean][]; wiring: { size: number; places: Record<string, number> };
  leaves: number; changing: [name: string, size: number][]; look: Record<string, any>; series: Value[];
}
export interface PackedRecord { size: number; used: number[]; fields: Place[] }

/** What happens to a particle (null for one that the seed chooses), and when: see faults.py. */
export interface Fault {
  kind: "crash" | "corrupt"; particle: number | null; rounds: number; position: number;
  agent: number | null; change: { field: string; value: number } | null;
}

/** What a file with engines inside has of them: packed text. */
export interface Packed { about: string; engines: Record<string, string> }

/** The options of a run by name: those of every run, and those of its election. */
export interface RunOptions {
  algorithm?: string; seed?: number | string | bigint; scheduler?: string; max_rounds?: number | null; faults?: string;
  [option: string]: any;
}

/** How a run ended: the fields of Python's Result, and the options of the run. */
export interface Result {
  outcome: string; leader: Point[] | null; leaders: number; rounds: number; rounds_terminated: number | null;
  particles: number; agents: number; outer_boundary_length: number; inner_boundaries: number;
  inner_boundary_lengths: number[]; milestones: Record<string, number | null>;
  candidates: [round: number, left: number][]; shape: string; rules: string; scheduler: string;
  algorithm: string; seed: number | bigint; [option: string]: any;
}

declare global {
  /** What a file with engines inside begins with. */
  const PACKED: Packed;
  /** The run that a page begins with, as a file has it. */
  const FIRST: Record<string, any>;
  /** What the worker of a figure runs. */
  const WORKER: string;
}

/** A run that is open, as a file describes it. */
export interface OpenRun {
  shape: Shape; text: string | null; shape_seed: string; options: RunOptions;
  by_hand_from: [number, number] | null; schedule: number[]; coins: number[][] | null; note: string;
}
