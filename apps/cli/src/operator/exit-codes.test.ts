import { readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { ApiError } from '@flotilla/contract';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './cli.ts';
import { EXIT, exitCodeOfStatus, toFailure } from './exit-codes.ts';

const GUIDE = readFileSync(new URL('../../../../docs/guides/cli.md', import.meta.url), 'utf8');
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = createProgram(
  {
    env: {},
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    signal: new AbortController().signal,
    command: [],
  },
  () => undefined,
);

describe('the guide to the command line', () => {
  it('tells every exit code and no other', () => {
    const told = [...GUIDE.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(told).toEqual(Object.values(EXIT));
  });

  it('names every command, those below another one in its line', () => {
    const unnamed = listLeaves(program, []).flatMap(([path]) => {
      const [last = '', ...above] = path.split(' ').toReversed();
      const group = ['flotilla', ...above.toReversed()].join(' ');
      const isNamed = GUIDE.split('\n').some((line) => line.includes(group) && new RegExp(`\\b${last}\\b`).test(line));
      return isNamed ? [] : [path];
    });
    expect(unnamed).toEqual([]);
  });
});

it.each([
  [400, EXIT.failed],
  [401, EXIT.forbidden],
  [403, EXIT.forbidden],
  [404, EXIT.notFound],
  [409, EXIT.conflict],
  [412, EXIT.conflict],
  [422, EXIT.failed],
  [429, EXIT.failed],
  [500, EXIT.failed],
  [503, EXIT.unreachable],
])('a refusal with status %d ends with %d', (status, code) => {
  expect(exitCodeOfStatus(status)).toBe(code);
});

it('a refusal is told in the words of the controller, with its places and what is in the way', () => {
  const error = new ApiError(409, {
    code: 'record.in_use',
    message: 'It is in use.',
    request_id: 'r-1',
    details: [{ path: 'name', rule: 'taken', message: 'is taken' }],
    users: [{ kind: 'service', name: 'shop' }],
  });
  const { exitCode, message, lines } = toFailure(error);
  expect([exitCode, message, lines]).toEqual([
    EXIT.conflict,
    'It is in use.',
    ['  name: is taken', '  used by service shop'],
  ]);
});

it('a single thing that is wrong is told once, several each', () => {
  const refuse = (...names: string[]) => {
    const details = names.map((path) => ({ path, rule: 'too_small', message: 'is too short' }));
    const message = `The request is not valid: ${names[0]}: is too short`;
    return toFailure(new ApiError(400, { code: 'request.invalid', message, request_id: '', details })).lines;
  };
  expect(refuse('name')).toEqual([]);
  expect(refuse('name', 'note')).toEqual(['  name: is too short', '  note: is too short']);
});

/** They print JSON always, a file in a format of its own, or a script. */
const WITHOUT_JSON = ['audit export', 'settings get', 'completion'];

function listLeaves(command: Command, path: readonly string[]): (readonly [path: string, command: Command])[] {
  const below = command.commands
    .filter((one) => !one.name().startsWith('__'))
    .flatMap((one) => listLeaves(one, [...path, one.name()]));
  return below.length > 0 ? below : [[path.join(' '), command]];
}

it.each(listLeaves(program, []))('flotilla %s prints JSON where that is wished', (path, command) => {
  const takesJson = command.options.some(({ long }) => long === '--json');
  expect(takesJson).toBe(!WITHOUT_JSON.includes(path));
});
