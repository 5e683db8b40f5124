import { runPass } from '@flotilla/controller/testing/findings';
import { applyBatches, createDelta } from '@flotilla/controller/testing/inventory';
import { createId, systemClock } from '@flotilla/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();

const run = (...argv: string[]) => stage.terminal.run(['findings', ...argv]);
async function read(...argv: string[]) {
  const answer = await run(...argv, '--json');
  expect(answer.code, answer.err).toBe(EXIT.ok);
  return JSON.parse(answer.out);
}

beforeAll(async () => {
  const { db } = stage.t.database;
  const atMs = Date.now() - 60_000;
  const deltas = [
    createDelta('GET a.example/\u001b[31mred', { atMs, flags: { missing_hsts: atMs } }),
    createDelta('POST b.example/login', { atMs, flags: { brute_force_suspect: atMs, missing_csp: atMs } }),
  ];
  const batch = { projectId: stage.t.project, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1 };
  await applyBatches(db, [{ ...batch, deltas, now: new Date() }]);
  await runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
});

describe('flotilla findings', () => {
  it('lists findings, the worst first, without controls of the terminal', async () => {
    const { out } = await run('list');
    expect(out).toMatch(/ID {2,}SEVERITY {2,}STATE {2,}FINDING {2,}OPERATION/);
    expect(out.split('\n')[1]).toMatch(/critical +new +Suspected guessing of passwords +POST b\.example\/login/);
    expect(out).toContain('no traffic since');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals run them
    expect(out).not.toMatch(/\u001b/);
    expect((await read('list', '--severity', 'low')).items).toMatchObject([{ flag: 'missing_csp' }]);
    expect((await read('list', '--unassigned', '--host', 'a.')).items).toHaveLength(1);
    expect(await read('summary')).toMatchObject({ open: 3, unassigned: 3 });
  });

  it('acknowledges, accepts, claims, reopens, assigns and comments, and shows the history', async () => {
    const [{ id }] = (await read('list', '--flag', 'missing_hsts')).items;
    expect((await run('acknowledge', id, '--note', 'mine')).out).toContain(': acknowledged.');
    expect((await run('accept', id, '--reason', 'old', '--until', '30d')).out).toContain('accepted until');
    expect((await run('accept', id, '--reason', 'old', '--until', '2000-01-01T00:00:00Z')).code).not.toBe(EXIT.ok);
    expect((await run('claim-fixed', id, '--dry-run')).out).toContain('fix_claimed');
    expect(await read('show', id)).toMatchObject({ state: 'accepted', reason: 'old' });
    expect((await run('claim-fixed', id)).code).toBe(EXIT.ok);
    expect((await run('reopen', id)).out).toContain(': new.');
    expect((await run('assign', id)).code).toBe(EXIT.usage);
    expect((await run('assign', id, '--nobody')).out).toContain('no owner');
    expect((await run('comment', id, 'a comment')).code).toBe(EXIT.ok);
    const kinds = (await read('history', id)).items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['comment', 'state', 'state', 'state', 'state', 'opened']);
  });

  it('changes many by filter, and counts them first', async () => {
    const many = ['change-many', '--to', 'acknowledged', '--host', 'b.'];
    expect((await run(...many, '--dry-run')).out).toContain('2 of 2 findings would change');
    expect((await run(...many)).out).toContain('2 of 2 findings changed');
    expect((await run('change-many', '--to', 'accepted', '--host', 'b.')).code).toBe(EXIT.usage);
  });
});
