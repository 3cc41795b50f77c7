import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Chromium, its graphics libraries and fonts, and the system libraries that a minimal machine lacks. */
const ARCHIVES = ['chromium.br', 'swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br'];

let shared: Promise<Browser> | null = null;

/** The shared browser of this process, with no page open. Closing it closes its pages; the next file reuses it. */
export async function openBrowser(): Promise<Browser> {
  shared ??= launch();
  const browser = await shared;
  if (browser.isConnected()) return browser;
  shared = launch();
  return shared;
}

/**
 * Starts a headless Chromium that comes with npm; it needs only the C libraries that Node needs. For plain HTTP only:
 * the first TLS connection loads `libsqlite3.so.0`, which the package lacks, and crashes the browser without it.
 */
async function launch(): Promise<Browser> {
  const folder = await unpackChromium();
  const browser = await chromium.launch({
    executablePath: join(folder, 'chromium'),
    // It only loads test pages, and root (as in a container) has no sandbox.
    args: ['--no-sandbox'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => steady(await newContext({ reducedMotion: 'reduce', ...options }));
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return browser;
}

/** Gives a page an authenticator that confirms every request. */
export async function addAuthenticator(page: Page, { isUserVerified = true } = {}) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Longer than any wait on a busy machine. */
const MAX_WAIT_MS = 120_000;

/** Disables transitions and animations, so that tests never read an intermediate state. */
async function steady(context: BrowserContext): Promise<BrowserContext> {
  context.setDefaultTimeout(MAX_WAIT_MS);
  await context.addInitScript(() => {
    const { document, CSSStyleSheet } = Object(globalThis);
    const still = new CSSStyleSheet();
    still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  });
  return context;
}

/**
 * Unpacks Chromium once per version and user.
 * @returns its folder
 */
async function unpackChromium(): Promise<string> {
  const source = new URL('../', import.meta.resolve('@sparticuz/chromium'));
  const { version }: { version: string } = JSON.parse(await readFile(new URL('package.json', source), 'utf8'));
  const folder = join(tmpdir(), `latchkey-chromium-${version}-${process.getuid?.()}`);
  if (await stat(folder).catch(() => null)) return folder;
  // Unpacks elsewhere and renames, so that the folder is complete or absent, also with two concurrent processes.
  const staging = await mkdtemp(`${folder}-`);
  try {
    await Promise.all(inflateInto(staging, fileURLToPath(new URL('bin', source))));
    const fonts = `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`;
    await writeFile(join(staging, 'fonts.conf'), fonts);
    await rename(staging, folder);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!(await stat(folder).catch(() => null))) throw error;
  }
  return folder;
}

/** `inflate` always uses the folder for temporary files, and reads its path before it returns. */
function inflateInto(folder: string, archives: string): Promise<string>[] {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  try {
    return ARCHIVES.map((archive) => inflate(join(archives, archive)));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}
