// An agent's memory in the paper's words, lane by lane, and what an activation does to it.

import { axisParts, TOKEN } from "./moment.js";

const SETUP = [
  "none", "here, to draw a digit", "here, digit drawn", "here, to read the digit",
  "goes back", "goes forth", "goes home", "complete",
];
const STAGE = ["competing", "verifies its solitude", "identifies its boundary", "on the outer boundary",
  "stops the first algorithm", "has won"];
const RESULT = ["equal", "token's digit is lower", "token's digit is higher"];
const ACTIVATION = ["none", "on its way out", "on its way home", "sum is not zero", "sum is zero"];
const COIN = ["none", "tails", "heads"];
const STOP = ["none", "here, no leader met", "here, leader met"];
const ROLE = ["not started", "non-candidate", "candidate"];
const yes = (bit) => (bit ? "yes" : "no");

export function tokenWords(word) {
  if (!word) return "none";
  const kind = word & TOKEN.delimiter ? ", delimiter" : "";
  const seen = (word >> TOKEN.result) & 3;
  const difference = word & TOKEN.delimiter && seen ? `, has seen: ${RESULT[seen].replace("token's digit is ", "")}` : "";
  return `${word & TOKEN.digit}, ${word & TOKEN.active ? "active" : "inactive"}${kind}${difference}`;
}

function unpack(record) {
  const b = record, word = (at) => b[at] | (b[at + 1] << 8);
  return {
    role: b[0] & 3, head: b[0] & 4, marked: b[0] & 8, created: b[0] & 16, inactive: b[0] & 32,
    leader: b[0] & 64, frozen: b[0] & 128, digit: b[1], reversed: b[2], setup: b[3] & 7,
    result: (b[3] >> 3) & 3, carried: b[4], stage: b[5] & 7, withdrawing: b[5] & 8,
    identification: b[5] & 16, angle: b[6] & 7, turn: ((b[6] >> 3) & 7) - 1, identifier: b[6] >> 6,
    coin: b[7] & 3, forth: (b[7] >> 2) & 3, back: (b[7] >> 4) & 3, stop: b[7] >> 6,
    oldest: word(8), newest: word(10), x: word(12), y: word(14),
    second: {
      role: b[16] & 3, stage: (b[16] >> 2) & 7, identification: b[16] & 64, angle: b[17] & 7,
      sentForth: b[16] & 128, sentBack: b[17] & 8, x: word(18), y: word(20),
    },
  };
}

function axisRows(axis, word) {
  const lane = axisParts(word);
  const tokens = ({ held, settled }) => (held ? `${held}, ${settled} settled` : "none");
  return [
    [`activation token ${axis}`, ACTIVATION[lane.activation]],
    [`positive tokens ${axis}`, tokens(lane.positive)],
    [`negative tokens ${axis}`, tokens(lane.negative)],
  ];
}

// Lanes as [title, section, rows of (name, value)].
export function lanes(record, { almostSure, hasDigit = true }) {
  const m = unpack(record);
  if (m.role === 0) return [["Not activated yet", "2.1", [["memory", "empty"]]]];
  const carries = m.setup === 4 || m.setup === 5 ? `, with digit ${m.carried}` : "";
  const withdrawn = m.role === 1 && m.head ? ", withdrew its candidacy" : "";
  const found = [
    ["Boundary setup", "2.1", [["turn", `${m.turn * 60}°`], ["agent identifier", m.identifier]]],
    ["Segment setup", "2.2", [["role", ROLE[m.role] + withdrawn], ["heads a segment", yes(m.head)]]],
    ["Identifier setup", "2.3", [
      ["digit", hasDigit ? m.digit : "none yet"],
      ["digit of reversed copy", m.marked ? m.reversed : "none yet"],
      ["setup token", SETUP[m.setup] + carries],
    ]],
    ["Identifier comparison", "2.4", [
      ["agent", m.inactive ? "inactive, has matched" : "active"],
      ["comparison result", m.inactive ? RESULT[m.result] : "none"],
      ["digit token created", yes(m.created)],
      ["oldest digit token", tokenWords(m.oldest)],
      ["newest digit token", tokenWords(m.newest)],
    ]],
    ["Solitude verification", "2.5", [
      ["stage", m.role === 2 ? STAGE[m.stage] + (m.withdrawing ? ", then withdraws" : "") : "none"],
      ...axisRows("x", m.x), ...axisRows("y", m.y),
    ]],
    ["Boundary identification", "2.6", [
      ["token", m.identification ? `here, sum of turns ${m.angle} mod 5` : "none"],
    ]],
    ["Leader", "", [["declared", yes(m.leader)]]],
  ];
  if (almostSure) {
    found.push(["Second algorithm", "A.3", [
      ["role", ROLE[m.second.role]],
      ["stage", m.second.role === 2 ? STAGE[m.second.stage] : "none"],
      ["coin of this iteration", COIN[m.coin]],
      ["sent forth, back", `${yes(m.second.sentForth)}, ${yes(m.second.sentBack)}`],
      ["coin here, with the cycle", COIN[m.forth]],
      ["coin here, against the cycle", COIN[m.back]],
      ...axisRows("x", m.second.x), ...axisRows("y", m.second.y),
      ["identification token", m.second.identification ? `here, sum ${m.second.angle}` : "none"],
      ["stop token", STOP[m.stop]],
      ["first algorithm here", m.frozen ? "stopped" : "goes on"],
    ]]);
  }
  return found;
}

// What one activation of an agent does, in sentences. pred and succ are [before, after] as well.
export function deeds([before, after], pred, succ) {
  const b = unpack(before), a = unpack(after);
  const said = [];
  const say = (condition, sentence) => { if (condition) said.push(sentence); };
  const [pb, pa, sb, sa] = [...pred, ...succ].map(unpack);
  say(!b.role && a.role === 2, "flips heads, becomes a candidate and heads a segment");
  say(!b.role && a.role === 1, "flips tails and becomes a non-candidate");
  say(b.setup === 1, `draws digit ${a.digit}`);
  if (b.setup && b.setup < 7 && !a.setup) {
    const back = pa.setup !== pb.setup;
    const carried = (back ? pa : sa).carried, with_ = [4, 5].includes((back ? pa : sa).setup);
    say(true, `passes the setup token ${back ? "back" : "on"}${with_ ? ` with digit ${carried}` : ""}`);
  }
  say(!b.marked && a.marked, `stores ${a.reversed} as its digit of the reversed copy`);
  say(b.setup !== 7 && a.setup === 7, "finds the identifier complete");
  say(!b.created && a.created, `creates its digit token ${b.marked || a.marked ? a.reversed : ""}`.trim());
  const arrived = pa.oldest !== pb.oldest || pa.newest !== pb.newest;
  if (arrived && (b.oldest || a.created > b.created)) {
    const moved = pb.oldest ? pa.newest : pa.oldest;
    say(true, `passes digit token ${moved & TOKEN.digit} on to its predecessor`);
    say(!pb.inactive && pa.inactive, `its predecessor matches with the token: ${RESULT[pa.result]}`);
  }
  say(b.role === 2 && a.role === 1, "withdraws its candidacy");
  say(pb.role === 2 && pa.role === 1, "its predecessor then withdraws its candidacy");
  say(sb.role === 2 && sa.role === 1, "its successor then withdraws its candidacy");
  say(pb.stage === 0 && pa.stage === 1, "its predecessor then begins to verify its solitude");
  verificationDeeds(b, a, pb, pa, "", say);
  say(b.identification, `passes the identification token on (sum ${b.angle})`);
  say(!b.identification && a.identification && a.stage === 2, "is alone, and sends the identification token out");
  say(!b.leader && a.leader, "declares itself the leader");
  say(!b.coin && a.coin, `second algorithm: flips ${COIN[a.coin]}`);
  say(b.second.role === 2 && a.second.role === 1, "second algorithm: withdraws");
  say(!b.second.sentForth && a.second.sentForth, "second algorithm: sends its coin forth");
  say(!b.second.sentBack && a.second.sentBack, "second algorithm: sends its coin back");
  say(b.second.role === 1 && ((b.forth && !a.forth) || (b.back && !a.back)), "second algorithm: relays a coin");
  verificationDeeds(b.second, a.second, pb.second, pa.second, "second algorithm: ", say);
  say(b.stop && !a.stop, "passes the stop token on");
  say(!b.frozen && a.frozen, "stops the first algorithm here");
  return said;
}

function verificationDeeds(b, a, pb, pa, prefix, say) {
  for (const axis of ["x", "y"]) {
    const [before, after] = [axisParts(b[axis]), axisParts(a[axis])];
    const names = { 1: "out", 2: "home", 3: "home", 4: "home" };
    say(before.activation && !after.activation && !(b.stage === 1 && a.stage !== 1),
      `${prefix}moves activation token ${axis} ${names[before.activation]}`);
    say(before.activation === 1 && after.activation === 2, `${prefix}turns activation token ${axis} round`);
    for (const sign of ["positive", "negative"]) {
      const change = after[sign].held - before[sign].held;
      say(change > 0, `${prefix}creates a ${sign} token on ${axis}`);
      say(change < 0 && axisParts(pa[axis])[sign].held > axisParts(pb[axis])[sign].held,
        `${prefix}passes a ${sign} token of ${axis} on`);
      say(after[sign].settled > before[sign].settled, `${prefix}settles a ${sign} token of ${axis}`);
    }
  }
  say(b.stage === 1 && a.stage === 0 && a.role === 2, `${prefix}finds that it is not alone`);
}
