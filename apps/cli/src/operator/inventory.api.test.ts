import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyBatches, createDelta } from '@flotilla/controller/testing/inventory';
import { createId } from '@flotilla/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

const run = (argv: string) => stage.terminal.run(['inventory', ...argv.split(' ')]);
async function read(argv: string) {
  const answer = await run(`${argv} --json`);
  expect(answer.code, answer.err).toBe(EXIT.ok);
  return JSON.parse(answer.out);
}
const paths = async (argv: string) =>
  (await read(argv)).items.map(({ normalized_path }: { normalized_path: string }) => normalized_path);

beforeAll(async () => {
  const atMs = Date.now() - 60_000;
  const old = Date.now() - 100 * 86_400_000;
  const deltas = [
    createDelta('GET a.example/orders', { seen: 9, statuses: { 200: 8, 500: 1 }, latencyMaxMs: 2500 }),
    createDelta('POST a.example/login', {
      atMs,
      flags: { brute_force_suspect: atMs },
      threatMax: 10,
      anonymousMs: atMs,
      pii: { email: atMs },
    }),
    createDelta('GET =cmd()\u001b[31m/x'),
    createDelta('GET a.example/zombie', { atMs: old, seen: 5000 }),
    createDelta('GET a.example/.env', { confirmed: false }),
  ];
  const batch = { projectId: stage.t.project, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1 };
  await applyBatches(stage.t.database.db, [{ ...batch, deltas, now: new Date() }]);
});

describe('flotilla inventory', () => {
  it('lists operations with their calls, errors, latency and scores', async () => {
    const { out } = await run('list --host a --sort -seen_count');
    expect(out).toMatch(/METHOD {2,}HOST {2,}PATH {2,}CALLS {2,}ERRORS {2,}MAX LATENCY/);
    expect(out).toMatch(/GET +a\.example +\/orders +9 +11\.1% +2\.5 s/);
    expect(await paths('list --method POST')).toEqual(['/login']);
    expect(await paths('list --flag brute_force_suspect --active')).toEqual(['/login']);
    expect(await paths('list --min-risk 10')).toEqual(['/login']);
    expect(await paths('attack-surface')).toEqual(['/.env']);
    expect(await paths('zombies')).toEqual(['/zombie']);
    expect(await paths('pii')).toEqual(['/login']);
    expect(await paths('auth-coverage')).toEqual(['/login']);
    expect(await paths('discoveries --host a --sort normalized_path')).toEqual(['/login', '/orders']);
    expect(await paths('groups --path /lo')).toEqual(['/login']);
    expect((await read('listeners')).items).toMatchObject([{ listener: 'web', operation_count: 5 }]);
    expect((await run('risk')).out).toContain('brute_force_suspect');
    expect((await run('flags')).out).toContain('Suspected guessing of passwords');
  });

  it('never writes controls of a host to the terminal, and no formula to a CSV', async () => {
    const { out } = await run('list -q cmd');
    expect(out).toContain('=cmd()\ufffd[31m');
    const csv = await run('export');
    expect(csv.code).toBe(EXIT.ok);
    expect(csv.out).toContain(`,"'=cmd()\ufffd[31m",`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals run them
    expect(out + csv.out).not.toMatch(/\u001b/);
  });

  it('says that a filter needs the event store', async () => {
    const answer = await run('list --country DE');
    expect(answer.code).not.toBe(EXIT.ok);
    expect(answer.err).toContain('event store');
  });

  it('writes an OpenAPI document to the terminal and to a new file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-inventory-'));
    try {
      const file = join(folder, 'api.json');
      expect((await run(`openapi --format json --host a.example --out ${file}`)).code).toBe(EXIT.ok);
      expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).paths)).toContain('/orders');
      expect((await run(`openapi --out ${file}`)).code).toBe(EXIT.usage);
      expect(parse((await run('openapi')).out).openapi).toBe('3.0.3');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('takes snapshots, shows changes, resets and deletes', async () => {
    expect((await run('snapshots take')).out).toMatch(/^Snapshot [0-9a-f-]+ of 4 operations taken\.\n$/);
    const snapshot = (await read('snapshots list')).items[0].id;
    expect((await read(`snapshots get ${snapshot}`)).operation_count).toBe(4);
    const login = (await read('list --method POST')).items[0].id;
    expect((await run(`get ${login}`)).out).toContain('brute_force_suspect');
    expect((await run(`reset ${login}`)).out).toBe('POST a.example/login begins again.\n');
    expect((await run(`changes --snapshot ${snapshot}`)).out).toMatch(/flag_cleared +POST/);
    expect((await run('cleanup --dry-run')).out).toMatch(/^1 operations/);
    expect((await run('cleanup')).out).toMatch(/^1 operations without traffic since .* deleted\.\n$/);
    expect((await run('reset-scores')).code).toBe(EXIT.ok);
    expect((await run('reset-all --dry-run')).out).toBe('4 operations reset.\n');
    expect((await read('list --path /orders')).items[0].seen_count).toBe(9);
    expect((await run(`delete ${login}`)).out).toContain('returns if its traffic continues');
    expect(await paths('list --method POST')).toEqual([]);
  });
});
