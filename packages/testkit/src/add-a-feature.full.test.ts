import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetOfOne } from './fleet-of-one.ts';

/** Applies the example of docs/guides/add-a-feature.md to a copy of the sources, and checks, builds and runs it there. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const EXAMPLE = join(ROOT, 'docs/guides/add-a-feature');
const FILES_MAX = 12;
const EDITS_MAX = 3;

interface Edit {
  readonly file: string;
  readonly line: string;
}

const files = globSync('**/*.*', { cwd: join(EXAMPLE, 'files') });
const edits: readonly Edit[] = JSON.parse(readFileSync(join(EXAMPLE, 'edits.json'), 'utf8'));

/** Lists of every command, error and route that a test writes. */
const GENERATED = ['exit-codes', 'error-table', 'capability-table', 'openapi.api'];
const GUARDS = {
  unit: ['packages/contract', 'apps/controller', 'apps/cli', 'apps/web/src/changes'],
  real: [
    'apps/controller/src/modules/operations/maintenance-windows',
    'apps/controller/src/testing/features',
    'apps/controller/src/testing/tenancy/tenancy.api.test.ts',
    'apps/controller/src/platform/http/location.api.test.ts',
    'apps/controller/src/platform/http/matrix.api.test.ts',
    'apps/controller/src/platform/http/openapi.api.test.ts',
    'apps/controller/src/platform/http/read-only.api.test.ts',
  ],
};

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'flotilla-feature-'));
  await copySources();
  await linkPackages();
  await cp(join(EXAMPLE, 'files'), copy, { recursive: true });
  for (const { file, line } of edits) await appendFile(join(copy, file), `${line}\n`);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

async function copySources(): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const path of listed
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith('docs/guides/add-a-feature/'))) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await cp(join(ROOT, path), join(copy, path)).catch(ignoreMissing);
  }
}

/** Git lists a file that was deleted and not committed yet. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Packages of others are linked. The links of our own packages lead to the copy. */
async function linkPackages(): Promise<void> {
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    const from = join(ROOT, 'node_modules', name);
    if (name === '@flotilla')
      await cp(from, join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    else if (name === '.bin' || !name.startsWith('.')) await symlink(from, join(copy, 'node_modules', name));
  }
  for (const path of globSync('{packages,apps}/*/node_modules', { cwd: ROOT }))
    await symlink(join(ROOT, path), join(copy, path));
  await symlink(join(ROOT, '.cache'), join(copy, '.cache'));
  // The build installs nothing then.
  const lock = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  await writeFile(join(copy, 'node_modules/.flotilla-lock'), lock.digest('hex'));
}

/** The output of a program of the copy. Throws with it if the program fails. */
async function run(
  program: string,
  args: readonly string[],
  { input = '', ...env }: NodeJS.ProcessEnv = {},
): Promise<string> {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('VITEST') && name !== 'FLOTILLA_TEST_SERVER',
  );
  const options = { cwd: copy, env: { ...Object.fromEntries(own), ...env }, maxBuffer: 64 * 1024 * 1024 };
  const bin = join(copy, 'node_modules/.bin', program);
  const running = promisify(execFile)(bin, args, options);
  running.child.stdin?.end(input);
  const { stdout } = await running.catch((error) => {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

describe('the example of the guide', () => {
  it('needs few files and few edits outside its folders', () => {
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(FILES_MAX);
    expect(edits.length).toBeLessThanOrEqual(EDITS_MAX);
    expect(edits.filter(({ line }) => line.includes('\n'))).toEqual([]);
  });

  it('adds files and changes lists that exist', () => {
    const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n'));
    expect(files.filter((file) => tracked.has(file))).toEqual([]);
    expect(edits.filter(({ file }) => !tracked.has(file))).toEqual([]);
  });

  it('passes the type check', async () => {
    expect(await run('tsc', ['-p', 'tsconfig.json'])).toBe('');
    expect(await run('tsc', ['-p', 'apps/web/tsconfig.json', '--noEmit'])).toBe('');
  }, 600_000);

  it('passes its own tests and those that check every feature', async () => {
    await run('vitest', ['run', '--project', 'unit', '--project', 'real', ...GENERATED], { GOLDEN: 'write' });
    await run('vitest', ['run', '--project', 'unit', ...GUARDS.unit]);
    await run('vitest', ['run', '--project', 'real', ...GUARDS.real]);
  }, 1_200_000);

  it('is part of the programs of the production build', async ({ onTestFinished }) => {
    await run('node', ['scripts/build.mjs']);
    const bundle = join(copy, 'dist/flotilla.mjs');
    const fleet = await FleetOfOne.start({ bundle });
    onTestFinished(() => fleet.close());
    const url = `http://127.0.0.1:${fleet.ports.rest}`;
    const flotilla = (args: readonly string[], input?: string) =>
      run('node', [bundle, ...args], { input, FLOTILLA_CONFIG: join(fleet.dataDir, 'cli.json') });
    const { password } = await fleet.state();
    await flotilla(['login', '--url', url, '--username', 'admin', '--password-stdin'], password);
    const times = ['--starts', '2030-01-01T22:00:00Z', '--ends', '2030-01-02T04:00:00Z'];
    await flotilla(['maintenance-windows', 'create', 'night', ...times]);
    expect(JSON.parse(await flotilla(['maintenance-windows', 'list', '--json'])).items).toMatchObject([
      { name: 'night', starts_at: '2030-01-01T22:00:00.000Z' },
    ]);
    const screens = await fetch(url);
    expect([screens.status, await screens.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
  }, 1_200_000);
});
