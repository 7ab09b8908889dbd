// The types that come with the module, against its code: tsc fails where they differ.

import { load } from "static/module.js";
import type { Result as RealResult } from "static/types";
import type * as typed from "./amoebot.mjs";
import type { option, result } from "./python";

type Real = Awaited<ReturnType<typeof load>>;
type RealSimulation = InstanceType<Real["Simulation"]>;

/** The names in a type, without those that an index stands for. */
type Names<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] };

/** What the viewer uses of a simulation, and nobody else. */
type Internal =
  | "about" | "shape" | "engine" | "state" | "ground" | "arrays" | "first" | "begin" | "find" | "cycles" | "noted"
  | "byHand" | "byHandSince" | "byHandFrom" | "chosen" | "stepByHand" | "source" | "activated" | "activateNow" | "activatedThisRound"
  | "past" | "snapshot" | "restore" | "beginAgain" | "remember" | "whatIf" | "check" | "nodesOf" | "terminate" | "round_limit"
  | "memoryBytes" | "runTo" | "advance" | "isOver" | "faults" | "struck" | "applyDueFaults" | "inject" | "expect" | "beginByHand" | "isByHand" | "skip" | "findCrashed"
  | "nextParticle" | "ofParticle";

/** Accepts no name at all. */
declare function none<Name extends never>(): Name;

// Every name that is typed exists, with its type.
export const amoebot: typed.Amoebot = {} as Real;
export const simulation: typed.Simulation = {} as RealSimulation;
export const ended: typed.Result = {} as RealResult;
export const loading: typeof typed.load = load;

// Every name that exists is typed.
none<Exclude<Names<Real>, Names<typed.Amoebot>>>();
none<Exclude<Names<RealSimulation>, Names<typed.Simulation> | Internal>>();
none<Exclude<Names<RealResult>, Names<typed.Result>>>();
none<Exclude<Internal, Names<RealSimulation>>>();

// A result has the names that it has in Python; there, options are attributes.
none<Exclude<keyof typeof result, Names<typed.Result> | typeof option>>();
none<Exclude<Names<typed.Result>, keyof typeof result>>();
