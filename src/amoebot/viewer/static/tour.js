// A guided tour of the six phases on a small shape: a few sentences, the picture, next.

import { h } from "./dom.js";

const RUN = {
  shape: { name: "tour", nodes: ring() },
  seed: "6",
  options: { scheduler: "permutation", almost_sure: false, terminate: true, radix: 10 },
};

// A hexagon of radius 3 with a hole of seven nodes.
function ring() {
  const nodes = [];
  for (let x = -3; x <= 3; x++) {
    for (let y = -3; y <= 3; y++) {
      const far = Math.max(Math.abs(x), Math.abs(y), Math.abs(x + y));
      if (far > 1 && far <= 3) nodes.push([x, y]);
    }
  }
  return nodes;
}

// Where each step looks: a round, or a milestone and rounds after it.
const STEPS = [
  { at: 0, layers: [], title: "Particles",
    text: "Each disc is a particle on the triangular grid. All are alike: nobody has a name, a compass or a map, and each has a memory of constant size. Together they are to agree on one leader." },
  { at: 0, title: "1. Boundary setup",
    text: "A particle looks at its six neighbouring nodes. For every sequence of empty ones it acts as an agent, and knows the agent before it and the agent after it. So the agents form cycles: one around the outside (blue), one around each hole (pink)." },
  { at: 1, title: "2. Segment setup",
    text: "Each agent flips a coin. Heads: it becomes a candidate (orange). Tails: a non-candidate. A candidate and the non-candidates after it, up to the next candidate, are its segment." },
  { at: 4, title: "3. Identifier setup",
    text: "A token (black) walks through each segment. It gives every agent a random digit: together these are the candidate's identifier. Then it copies the digits in reversed order: the small grey digits." },
  { at: "digit_tokens_created", plus: 4, title: "4. Identifier comparison",
    text: "The reversed copies travel against the cycle as digit tokens. In each segment they are compared with its own digits, the least significant first. Full squares are active tokens, diamonds the delimiters at the end of each identifier. A candidate that sees a higher identifier withdraws (hollow ring)." },
  { at: "last_rival_gone", plus: 0, title: "One candidate is left",
    text: "On the outer boundary one candidate has the highest identifier. But it does not know yet that it is alone. It only knows that something is up when its own identifier comes back to it." },
  { at: "last_solitude_verification", plus: 8, title: "5. Solitude verification",
    text: "The candidate sends two activation tokens along the boundary, one for each axis. At each edge they leave a positive or a negative token (triangles), which gather at the candidate. If they cancel out, the next candidate is where this one is: it is alone." },
  { at: "boundary_identification", plus: 3, title: "6. Boundary identification",
    text: "A last token (hexagon) walks round and sums the turns of the boundary, modulo 5. Around the outside they make +360°, the sum is 1, and the candidate is the leader. Around a hole it is 4, and the candidate withdraws." },
  { at: "leader_declared", plus: 1, title: "The leader",
    text: "One particle declares itself the leader (star). With the variant of Appendix A.2, it now sends a message through all bonds, so that everybody terminates." },
  { at: "all_terminated", plus: 0, title: "Done",
    text: "Everyone has terminated. Now click any particle, go back in time, try another shape, or draw your own." },
];

export class Tour {
  constructor(app, maker) {
    Object.assign(this, { app, maker });
    this.element = h("section", { class: "tour", "data-test": "tour", "aria-label": "Tour" });
  }

  async start() {
    if (!(await this.maker.open({ do: "open", run: RUN }))) return;
    this.stage = this.app.stage;
    this.app.element.classList.add("touring");
    this.app.side.prepend(this.element);
    await this.wait();
    await this.go(0);
  }

  // The milestones are known once the run has been looked through.
  async wait() {
    while (!this.app.survey?.done && this.app.stage === this.stage) {
      await new Promise((next) => setTimeout(next, 30));
    }
  }

  async go(index) {
    if (index < 0 || this.app.stage !== this.stage) { this.end(); return; }
    if (index >= STEPS.length) { this.end(); return; }
    this.index = index;
    const step = STEPS[index];
    const { survey, layers, player } = this.app;
    const round = typeof step.at === "number" ? step.at : (survey.milestones[step.at] ?? survey.rounds) + step.plus;
    layers.chosen.clear();
    if (step.layers) for (const id of ["boundaries", "agents"]) layers.chosen.set(id, false);
    if (step.title.startsWith("5.") || step.title.startsWith("6.")) layers.chosen.set("tokens", false);
    this.render(step);
    await player.seek(Math.min(round, survey.rounds));
    layers.key = null;
    this.app.redraw();
  }

  render(step) {
    this.element.replaceChildren(
      h("h2", {}, step.title), h("p", {}, step.text),
      h("div", { class: "actions" },
        h("span", { class: "count" }, `${this.index + 1} of ${STEPS.length}`),
        h("button", { onclick: () => this.end(), "data-test": "tour-end" }, "End"),
        h("button", { disabled: this.index === 0, onclick: () => this.go(this.index - 1) }, "Back"),
        h("button", { class: "primary", "data-test": "tour-next", onclick: () => this.go(this.index + 1) },
          this.index + 1 < STEPS.length ? "Next" : "Finish")));
  }

  end() {
    this.element.remove();
    this.app.element.classList.remove("touring");
    this.app.layers.reset();
  }
}
