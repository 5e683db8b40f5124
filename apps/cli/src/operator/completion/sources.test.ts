import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../cli.ts';
import { complete, findInputSource } from './complete.ts';

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const io = {
  // Nothing listens there, so values from the controller have no candidates.
  env: { SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'x' },
  stdin: Readable.from([]),
  stdout: nowhere,
  stderr: nowhere,
  signal: new AbortController().signal,
  command: [],
};
const program = createProgram(io, () => undefined);

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

function listLeaves(command: Command, path: readonly string[]): Leaf[] {
  const own = command.commands.filter((one) => !one.name().startsWith('__'));
  const below = own.flatMap((one) => listLeaves(one, [...path, one.name()]));
  const isCommand = path.length > 0 && (own.length === 0 || command.registeredArguments.length > 0);
  return isCommand ? [{ path: path.join(' '), command }, ...below] : below;
}
const leaves = listLeaves(program, []);

describe.each(leaves)('flotilla $path', ({ path, command }) => {
  const words = path.split(' ');

  it('is completed word by word', async () => {
    for (const [index, word] of words.entries())
      expect(await complete(program, io, [...words.slice(0, index), word.slice(0, 1)])).toContain(word);
  });

  it('offers each of its options', async () => {
    const long = command.options.flatMap((option) => option.long ?? []);
    expect(await complete(program, io, [...words, '--'])).toEqual([...long, '--help']);
  });

  it('has a source of candidates for every value', () => {
    const taken = [...command.registeredArguments, ...command.options.filter((one) => one.required || one.optional)];
    for (const input of taken)
      expect(input.argChoices ?? findInputSource(command, program, input), input.name()).toBeDefined();
  });
});

it('a fixed set of values is offered, and other values are refused', async () => {
  expect(await complete(program, io, ['tokens', 'create', 'ci', '--role', ''])).toEqual([
    'owner',
    'admin',
    'editor',
    'viewer',
  ]);
  expect(await complete(program, io, ['keys', 'rotate', ''])).toEqual(['data', 'master']);
  expect(await complete(program, io, ['permissions', 'grant', 'pol'])).toEqual(['policy']);
  expect(await complete(program, io, ['permissions', 'grant', 'policy', 'shop', 'u'])).toEqual(['use']);
  expect(await complete(program, io, ['jobs', 'list', '--status', 'fai'])).toEqual(['failed']);
  expect(await complete(program, io, ['audit', 'export', '--out', ''])).toEqual([':files']);
  expect(await complete(program, io, ['backup', 'upload', ''])).toEqual([':files']);
});
