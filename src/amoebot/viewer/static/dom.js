// @ts-check
// A few lines that make elements, so that the page needs no framework.

/** @typedef {Node | string | null | undefined} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, any>} properties @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value);
  }
  fill(element, ...children);
  return element;
}

/** @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  const there = children.flat().filter((child) => child !== null && child !== undefined);
  element.replaceChildren(.../** @type {(Node | string)[]} */ (there));
}

// The same for an element that is filled again and again: the control that has the focus keeps it.
/** @param {Element} element @param {...(Child | Child[])} children */
export function refill(element, ...children) {
  const focused = document.activeElement;
  const name = (/** @type {any} */ { dataset, textContent }) => dataset.layer ?? dataset.test ?? textContent;
  const isInside = focused !== element && element.contains(focused);
  fill(element, ...children);
  if (!isInside) return;
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("button, input, summary"))) {
    if (name(one) === name(focused)) { one.focus({ preventScroll: true }); return; }
  }
}

/** @param {HTMLCanvasElement} canvas */
export function pen(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** @param {number} number @param {string} noun */
export function count(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

// Offer text for download. Where files go is for the browser to say.
/** @param {string} name @param {string} text */
export function download(name, text, type = "application/json") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
