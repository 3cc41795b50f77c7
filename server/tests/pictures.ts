import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';

/**
 * Pictures of pages, compared with accepted ones. A sheet shows one page in both themes and at three widths, at half size
 * and in 16 greys, so that the sheets of all pages stay small. `UPDATE_PICTURES=1 npm run test:pictures` accepts what the
 * pages look like now; look at the sheets before you commit them.
 */
const ACCEPTED = fileURLToPath(new URL('pictures/accepted/', import.meta.url));
/** Where the sheets of failed comparisons are written: what was there, and the difference in red. */
const FAILED = fileURLToPath(new URL('../../node_modules/.cache/pictures/', import.meta.url));
const ACCEPTS = process.env['UPDATE_PICTURES'] === '1';

const THEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 768, 1440] as const;
const HEIGHT = 900;
const SCALE = 0.5;
/** How many pixels of a sheet may differ. Chromium and its fonts come with npm, so the same page has the same pixels. */
const MAX_DIFFERENT = 60;
/** How different a pixel may be, from 0 to 1; 16 greys take some of it. */
const THRESHOLD = 0.16;
/** The sheets live in the repository. */
const MAX_BYTES = 3_000_000;

const taken = new Set<string>();

/** The options of a browser for pictures: UTC, English and the scale of the sheets. */
export const FOR_PICTURES: BrowserContextOptions = {
  ...{ deviceScaleFactor: SCALE, locale: 'en', timezoneId: 'UTC', viewport: { width: 390, height: HEIGHT } },
};

export async function tabForPictures(browser: Browser): Promise<Page> {
  const context = await browser.newContext(FOR_PICTURES);
  return context.newPage();
}

/**
 * Compares a page in both themes and at all widths with its accepted sheet.
 * @param name begins with the area of the page, such as `hosted-`
 * @param mask selectors of what differs from run to run, such as an id
 */
export async function expectPicture(page: Page, name: string, { mask = [] }: { mask?: readonly string[] } = {}) {
  assert.ok(!taken.has(name), `${name} is taken once`);
  taken.add(name);
  const sheet = await sheetOf(page, mask);
  if (ACCEPTS) {
    await writeFile(`${ACCEPTED}${name}.png`, await pngOf(sheet, 16));
    return;
  }
  const { count, difference } = await compare(sheet, name);
  if (count <= MAX_DIFFERENT) return;
  await mkdir(FAILED, { recursive: true });
  await writeFile(`${FAILED}${name}.png`, await pngOf(sheet, 256));
  await writeFile(`${FAILED}${name}.difference.png`, await pngOf({ ...sheet, data: difference }, 256));
  assert.fail(`${name}: ${count} pixels differ from the accepted picture; see ${FAILED}${name}.difference.png`);
}

/** Fails if the page still looks as accepted, although it was changed. */
export async function expectOtherPicture(page: Page, name: string): Promise<void> {
  const { count } = await compare(await sheetOf(page, []), name);
  assert.ok(count > MAX_DIFFERENT, `${count} pixels differ`);
}

async function compare({ data, width, height }: Raw, name: string) {
  const accepted = await readFile(`${ACCEPTED}${name}.png`).catch(() => null);
  assert.ok(accepted, `${name} has no accepted picture: UPDATE_PICTURES=1 npm run test:pictures`);
  const before = await rawOf(accepted);
  assert.deepEqual([before.width, before.height], [width, height], `${name}: the size of the sheet`);
  const difference = new Uint8Array(data.length);
  return { count: pixelmatch(before.data, data, difference, width, height, { threshold: THRESHOLD }), difference };
}

/** Compares what a screen reader says on a page with the accepted transcript. */
export async function expectTranscript(page: Page, name: string): Promise<void> {
  const file = `${ACCEPTED}${name}.txt`;
  const spoken = `${await page.locator('body').ariaSnapshot()}\n`.replaceAll(/^ *- \/url: .*\n/gm, '');
  if (ACCEPTS) await writeFile(file, spoken);
  assert.equal(spoken, await readFile(file, 'utf8').catch(() => ''), `UPDATE_PICTURES=1 accepts ${file}`);
}

/** Fails if there are accepted pictures of an area that no test has taken, or too many bytes of all. */
export async function expectNoOtherPictures(area: string): Promise<void> {
  const files = (await readdir(ACCEPTED)).filter((file) => file.endsWith('.png'));
  const own = files.filter((file) => file.startsWith(`${area}-`)).map((file) => file.slice(0, -4));
  assert.deepEqual(
    own.filter((name) => !taken.has(name)),
    [],
    'these pictures are of no page',
  );
  const sizes = await Promise.all(files.map(async (file) => (await stat(ACCEPTED + file)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= MAX_BYTES, `${total} bytes of pictures`);
}

/** RGBA. */
type Raw = { data: Uint8Array; width: number; height: number };

/** Themes below each other, widths side by side. */
async function sheetOf(page: Page, mask: readonly string[]): Promise<Raw> {
  const cells: { input: Buffer; left: number; top: number }[] = [];
  for (const [row, colorScheme] of THEMES.entries()) {
    let left = 0;
    for (const width of WIDTHS) {
      // biome-ignore lint/performance/noAwaitInLoops: one page has one size at a time
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: HEIGHT });
      await page.evaluate('document.fonts.ready');
      const input = await page.screenshot({
        mask: mask.map((selector) => page.locator(selector)),
        maskColor: '#808080',
      });
      cells.push({ input, left, top: row * HEIGHT * SCALE });
      left += width * SCALE;
    }
  }
  const width = WIDTHS.reduce((sum, each) => sum + each * SCALE, 0);
  const height = THEMES.length * HEIGHT * SCALE;
  const sheet = sharp({ create: { width, height, channels: 3, background: '#ffffff' } }).composite(cells);
  return rawOf(await sheet.png().toBuffer());
}

async function rawOf(png: Buffer): Promise<Raw> {
  const grey = sharp(png).removeAlpha().toColourspace('b-w').raw();
  const { data: greys, info } = await grey.toBuffer({ resolveWithObject: true });
  const data = new Uint8Array(greys.length * 4);
  for (const [index, level] of greys.entries()) data.set([level, level, level, 255], index * 4);
  return { data, width: info.width, height: info.height };
}

function pngOf({ data, width, height }: Raw, colours: number): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png({ palette: true, colours, dither: 0, compressionLevel: 9, effort: 10 })
    .toBuffer();
}
