// @ts-check
// Images as shapes where there is no server: how light their pixels are, as shapes/image_file.py has it.

import { InputError } from "./shapes.js";

/** @typedef {import("./types").Pixels} Pixels */

export const IMAGES = [".png", ".gif", ".bmp", ".jpg", ".jpeg"];

const MOST_PIXELS = 100_000_000;

/** @param {string} name */
export function isImage(name) { return IMAGES.some((ending) => name.toLowerCase().endsWith(ending)); }

/** A request with the pixels of the image in it, if it has one. @param {Record<string, any>} request */
export async function withPixels(request) {
  if (request.do !== "file" || !isImage(request.name)) return request;
  return { ...request, pixels: await pixelsOf(request.content, request.name) };
}

/** @param {string} content in base 64 @param {string} name @returns {Promise<Pixels>} */
async function pixelsOf(content, name) {
  const { width, height, data } = await drawn(content).catch(() => { throw new InputError(`${name}: this is not a readable image`); });
  // The weights of red, green and blue are those of Pillow.
  const light = Uint8Array.from({ length: width * height }, (_, i) => (19595 * data[4 * i] + 38470 * data[4 * i + 1] + 7471 * data[4 * i + 2] + 32768) >> 16);
  return { width, light };
}

/** An image on white paper. @param {string} content */
async function drawn(content) {
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]), { colorSpaceConversion: "none" });
  const { width, height } = image;
  if (width * height > MOST_PIXELS) throw new RangeError("too many pixels");
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(width, height).getContext("2d"));
  pen.fillStyle = "white";
  pen.fillRect(0, 0, width, height);
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, width, height);
}
