import { createRequire } from 'node:module';
import { problem } from '#platform/problem.ts';

const TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['ico', 'image/x-icon'],
]);

const require = createRequire(import.meta.url);

/** Loaded at first use. It reads no other types than those above. */
function imageLibrary(): typeof import('image-size') {
  const library: typeof import('image-size') = require('image-size');
  library.disableTypes(library.types.filter((type) => !TYPES.has(type)));
  return library;
}

const MAX_IMAGE_BYTES = 262_144;
const MIN_PIXELS = 16;
const MAX_PIXELS = 2_048;

/** What an uploaded file is, told by its content. */
export type ImageFile = { type: string; width: number; height: number; content: Buffer };

/**
 * Reads an uploaded image.
 * @param base64 its content
 * @throws Problem VALIDATION_FAILED if it is no image, of another type, too large, cut short, or followed by something else
 */
export function readImage(base64: string): ImageFile {
  const content = Buffer.from(base64, 'base64');
  if (content.length > MAX_IMAGE_BYTES) throw refused(`An image has up to ${MAX_IMAGE_BYTES / 1_024} KiB.`);
  if (looksLikeSvg(content))
    throw refused('SVG is not accepted, because it can hold scripts. Upload a PNG or WebP of twice the size.');
  const { type, width, height } = measured(content);
  if (endOf(type, content) !== content.length)
    throw refused('The file is cut short, or something follows the image in it.');
  if (Math.min(width, height) < MIN_PIXELS || Math.max(width, height) > MAX_PIXELS)
    throw refused(
      `An image is ${MIN_PIXELS} to ${MAX_PIXELS} pixels wide and high; this one is ${width} by ${height}.`,
    );
  return { type: TYPES.get(type) ?? '', width, height, content };
}

function refused(message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/content', message }] } });
}

function looksLikeSvg(content: Buffer): boolean {
  return /^\s*</.test(content.toString('latin1', 0, 256).replace(/^\u00EF\u00BB\u00BF/, ''));
}

function measured(content: Buffer): { type: string; width: number; height: number } {
  const { imageSize } = imageLibrary();
  try {
    const { type, width, height, images = [] } = imageSize(content);
    if (type === undefined) throw new Error('No type.');
    // An icon holds several sizes.
    const sizes = [{ width, height }, ...images];
    return {
      type,
      width: Math.max(...sizes.map((size) => size.width)),
      height: Math.max(...sizes.map((size) => size.height)),
    };
  } catch (cause) {
    throw Object.assign(refused('The file is no PNG, JPEG, WebP or ICO image.'), { cause });
  }
}

/** Where the image ends by its own account; NaN if that cannot be told. */
function endOf(type: string, content: Buffer): number {
  try {
    if (type === 'png') return endOfPng(content);
    if (type === 'jpg') return endOfJpeg(content);
    if (type === 'webp') return 8 + content.readUInt32LE(4);
    return endOfIcon(content);
  } catch (error) {
    if (error instanceof RangeError) return Number.NaN;
    throw error;
  }
}

/** PNG (W3C) §5: chunks, each with its length, up to IEND. */
function endOfPng(content: Buffer): number {
  let at = 8;
  for (;;) {
    const next = at + 12 + content.readUInt32BE(at);
    if (content.toString('latin1', at + 4, at + 8) === 'IEND') return next;
    at = next;
  }
}

/** ITU T.81 annex B: segments, each with its length, and coded data up to the next marker; EOI ends the image. */
function endOfJpeg(content: Buffer): number {
  let at = 2;
  for (;;) {
    const marker = content.readUInt16BE(at);
    if (marker === 0xff_d9) return at + 2;
    if (marker < 0xff_01) return Number.NaN;
    at += 2 + content.readUInt16BE(at + 2);
    if (marker === 0xff_da) at = nextMarker(content, at);
  }
}

/** Coded data has no markers but restarts, and escapes 0xFF with 0. */
function nextMarker(content: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const [first, second] = [content.readUInt8(at), content.readUInt8(at + 1)];
    const isData = first !== 0xff || second === 0 || second === 0xff || (second >= 0xd0 && second <= 0xd7);
    if (!isData) return at;
    at += 1;
  }
}

/** The directory of an icon says where each of its images stands. */
function endOfIcon(content: Buffer): number {
  const entries = Array.from({ length: content.readUInt16LE(4) }, (_, index) => 6 + 16 * index);
  return Math.max(...entries.map((entry) => content.readUInt32LE(entry + 8) + content.readUInt32LE(entry + 12)));
}
