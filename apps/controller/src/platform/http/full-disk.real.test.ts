import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Answer } from '../../testing/controller.ts';

/**
 * Runs the program with its data folder and PostgreSQL on a 160 MB disk that only it sees: a tmpfs in its own mount
 * namespace, which needs the right to mount. The test reads it through `/proc/<pid>/root`.
 */
const MOUNT = 'mount -t tmpfs -o size=160m,mode=0711 tmpfs "$0" && exec "$@"';
const PASSWORD = 'Correct-Horse-7-Battery';
const WAIT = { interval: 200 };
const DESCRIPTION = 'd'.repeat(400);

let folder: string;
let program: ChildProcess;
let output = '';
let base: string;
let token: string;

async function call(
  method: string,
  path: string,
  body?: object,
): Promise<Pick<Answer, 'status' | 'body'> & { retryAfter: string | null }> {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
}

const create = (name: string) =>
  call('POST', '/api/v3/setting/projects', { name, description: DESCRIPTION, starters: [] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-full-'));
  const [rest, grpc] = await findFreePorts(2);
  const main = join(import.meta.dirname, '../presence/testing/main.ts');
  const args = [process.execPath, main, '--data', folder, '--port', `${rest}`, '--grpc-port', `${grpc}`];
  program = spawn('unshare', ['-m', 'sh', '-c', MOUNT, folder, ...args], {
    env: { ...process.env, SVC_FIRST_OWNER_PASSWORD: PASSWORD },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [program.stdout, program.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
  base = `http://127.0.0.1:${rest}`;
  token = '';
  await vi.waitFor(async () => {
    if (program.exitCode !== null) throw new Error(output);
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
  }, WAIT);
  const login = await call('POST', '/auth/login', { username: 'admin', password: PASSWORD });
  expect(login.status, JSON.stringify(login.body)).toBe(200);
  token = login.body.access_token;
}, 120_000);

afterAll(async () => {
  if (program?.exitCode === null) {
    const ended = new Promise((resolve) => program.once('exit', resolve));
    program.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}, 120_000);

async function readAll(path: string) {
  const { status, body } = await call('GET', path);
  expect([status, body.next_cursor ?? null], JSON.stringify(body)).toEqual([200, null]);
  return body.items;
}

/** Names of the projects that this test creates. */
async function namesOfProjects(): Promise<string[]> {
  const names: string[] = (await readAll('/api/v3/setting/projects?limit=500')).map(
    (one: { name: string }) => one.name,
  );
  return names.filter((name) => name === 'again' || name.startsWith('p-')).toSorted();
}

/** Fills every free block. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (const size of [1 << 20, 4096]) {
      const bytes = Buffer.alloc(size);
      for (;;) await handle.write(bytes);
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    await handle.close();
  }
}

it('the controller refuses writes while the disk is full, with the reason and nothing half done, and works again afterwards', async () => {
  const disk = join(`/proc/${program.pid}/root`, folder);
  expect((await statfs(disk)).blocks * (await statfs(disk)).bsize).toBe(160 << 20);
  const ballast = join(disk, 'ballast');
  await fill(ballast);
  expect((await stat(ballast)).size).toBeGreaterThan(1 << 20);

  const acknowledged: string[] = [];
  const refused: string[] = [];
  const answers = new Set<string>();
  // PostgreSQL's allocated pages take some more rows before the disk is full.
  for (let i = 0; i < 3000 && refused.length < 20; i += 1) {
    const name = `p-${i}`;
    const { status, retryAfter, body } = await create(name);
    if (status === 201) acknowledged.push(name);
    else {
      refused.push(name);
      answers.add(`${status} ${body.code} ${retryAfter} ${body.message}`);
    }
  }
  expect(refused.length, output).toBe(20);
  expect([...answers]).toEqual(['503 service.unavailable 30 No space is left on the disk.']);
  // Reads still work, and show exactly the acknowledged projects.
  expect(await namesOfProjects()).toEqual(acknowledged.toSorted());

  await rm(ballast);
  await vi.waitFor(async () => expect((await create('again')).status).toBe(201), WAIT);
  acknowledged.push('again');
  expect(await namesOfProjects()).toEqual(acknowledged.toSorted());
  // Each project has its audit entry, and each entry its project.
  const entries = await readAll('/api/v3/audit/logs?action=project.create&outcome=done&limit=500');
  expect(entries.map((entry: { resource: { name: string } }) => entry.resource.name).toSorted()).toEqual(
    acknowledged.toSorted(),
  );
  await vi.waitFor(async () => {
    const { status, body } = await call('GET', '/api/v3/audit/verify');
    expect([status, body.ok], JSON.stringify(body)).toEqual([200, true]);
    // One chain per project, and one for entries without a project.
    const chains = body.items as { unsealed: number; checked: number }[];
    expect(chains.reduce((sum, { unsealed }) => sum + unsealed, 0)).toBe(0);
    expect(chains.reduce((sum, { checked }) => sum + checked, 0)).toBeGreaterThanOrEqual(acknowledged.length);
  }, WAIT);
}, 240_000);
