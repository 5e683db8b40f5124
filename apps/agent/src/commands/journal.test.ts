import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandJournal } from './journal.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-'));
  path = join(dir, 'commands.log');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const commandOf = (commandId: string, fence = 1n, serviceId = 's') =>
  create(fleet.CommandSchema, {
    commandId,
    fence,
    serviceId,
    type: 'DEPLOY',
    payloadJson: new TextEncoder().encode('{"a":1}'),
  });
const resultOf = (commandId: string) => create(fleet.CommandResultSchema, { commandId, outcome: fleet.Outcome.DONE });

async function reopen(journal: CommandJournal): Promise<CommandJournal> {
  await journal.close();
  return CommandJournal.open(path);
}

describe('the journal of commands', () => {
  it('knows after a restart which commands were running, which were done and which the controller has stored', async () => {
    let journal = await CommandJournal.open(path);
    for (const id of ['running', 'done', 'stored']) await journal.accept(commandOf(id), { raisesFence: false });
    await journal.finish(resultOf('done'));
    await journal.finish(resultOf('stored'));
    await journal.markStored('stored');
    journal = await reopen(journal);
    expect(journal.interrupted().map(({ commandId }) => commandId)).toEqual(['running']);
    expect(journal.interrupted()[0]).toEqual(commandOf('running'));
    expect(journal.unstored().map(({ commandId }) => commandId)).toEqual(['done']);
    expect(journal.find('stored')?.result?.outcome).toBe(fleet.Outcome.DONE);
    await journal.close();
  });

  it('keeps the newest fence of a service across restarts and rewrites', async () => {
    let journal = await CommandJournal.open(path);
    await journal.accept(commandOf('a', 7n), { raisesFence: true });
    await journal.accept(commandOf('b', 5n), { raisesFence: true });
    journal = await reopen(await reopen(journal));
    expect(journal.fence('s')).toBe(7n);
    expect(journal.fence('other')).toBe(0n);
    await journal.close();
  });

  it('skips a line that a crash has truncated, and appends safely after it', async () => {
    let journal = await CommandJournal.open(path);
    await journal.accept(commandOf('a'), { raisesFence: false });
    await journal.close();
    await appendFile(path, 'deadbeef {"kind":"finished","id":"a","resu');
    journal = await CommandJournal.open(path);
    expect(journal.interrupted().map(({ commandId }) => commandId)).toEqual(['a']);
    await journal.finish(resultOf('a'));
    journal = await reopen(journal);
    expect(journal.interrupted()).toEqual([]);
    expect(journal.unstored()).toHaveLength(1);
    await journal.close();
  });

  it('loses nothing before the byte at which it was truncated', async () => {
    const journal = await CommandJournal.open(path);
    for (const id of ['a', 'b', 'c']) {
      await journal.accept(commandOf(id), { raisesFence: false });
      await journal.finish(resultOf(id));
    }
    await journal.close();
    const whole = await readFile(path);
    const lengths = whole
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => Buffer.byteLength(line) + 1);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (cut) => {
        await writeFile(path, whole.subarray(0, cut));
        let left = cut;
        let lines = 0;
        // A line is complete with or without its line end.
        while (lines < lengths.length && left >= (lengths[lines] ?? 0) - 1) left -= lengths[lines++] ?? 0;
        const reopened = await CommandJournal.open(path);
        const accepted = ['a', 'b', 'c'].filter((id) => reopened.find(id)).length;
        const finished = reopened.unstored().length;
        await reopened.close();
        expect(accepted + finished).toBe(lines);
      }),
      { numRuns: 60 },
    );
  });

  // Every step is synced before the next, which takes time on a busy disk.
  it('keeps its file small', { timeout: 120_000 }, async () => {
    let journal = await CommandJournal.open(path);
    for (let i = 0; i < 1500; i += 1) {
      const id = `command-${i}`;
      await journal.accept(commandOf(id), { raisesFence: true });
      await journal.finish(resultOf(id));
      await journal.markStored(id);
    }
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(4100);
    journal = await reopen(journal);
    expect(journal.find('command-1499')?.isStored).toBe(true);
    expect(journal.find('command-0')).toBeUndefined();
    await journal.close();
  });
});
