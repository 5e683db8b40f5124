import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { ApiError } from '@flotilla/contract';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './cli.ts';
import { EXIT, exitCodeOfStatus, toFailure } from './exit-codes.ts';

const GUIDE_FILE = new URL('../../../../docs/guides/cli.md', import.meta.url);
const GUIDE = readFileSync(GUIDE_FILE, 'utf8');
const BEGIN = '<!-- commands: written by exit-codes.test.ts -->';
const END = '<!-- end of commands -->';
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

function renderCommands(): string {
  const rows = program.commands
    .filter((one) => !one.name().startsWith('__'))
    .toSorted((one, other) => one.name().localeCompare(other.name()))
    .map((one) => {
      const leaves = listLeaves(one, []).flatMap(([path]) => (path === '' ? [] : [`\`${path}\``]));
      return `| \`flotilla ${one.name()}\` | ${leaves.join(', ')} |`;
    });
  return ['| command | commands below it |', '|---|---|', ...rows].join('\n');
}

describe('the guide to the command line', () => {
  it('lists exactly the exit codes that exist', () => {
    const listed = [...GUIDE.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });

  it('lists every command (GOLDEN=write rewrites the list)', () => {
    const [from, to] = [GUIDE.indexOf(BEGIN), GUIDE.indexOf(END)];
    expect(from).toBeGreaterThan(0);
    expect(to).toBeGreaterThan(from);
    const written = `${GUIDE.slice(0, from)}${BEGIN}\n\n${renderCommands()}\n\n${GUIDE.slice(to)}`;
    if (process.env.GOLDEN === 'write') writeFileSync(GUIDE_FILE, written);
    expect(readFileSync(GUIDE_FILE, 'utf8')).toBe(written);
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

it('a refusal is reported with the message of the controller, its details and the records that use the record', () => {
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

it('a single detail is not repeated after the message, but several are listed', () => {
  const refuse = (...names: string[]) => {
    const details = names.map((path) => ({ path, rule: 'too_small', message: 'is too short' }));
    const message = `The request is not valid: ${names[0]}: is too short`;
    return toFailure(new ApiError(400, { code: 'request.invalid', message, request_id: '', details })).lines;
  };
  expect(refuse('name')).toEqual([]);
  expect(refuse('name', 'note')).toEqual(['  name: is too short', '  note: is too short']);
});

/** These commands always print JSON, a file in another format, or a script. */
const WITHOUT_JSON = [
  'api-documents download',
  'api-documents patch',
  'api-owners export',
  'audit export',
  'inventory export',
  'inventory openapi',
  'settings get',
  'completion',
];

function listLeaves(command: Command, path: readonly string[]): (readonly [path: string, command: Command])[] {
  const below = command.commands
    .filter((one) => !one.name().startsWith('__'))
    .flatMap((one) => listLeaves(one, [...path, one.name()]));
  return below.length > 0 ? below : [[path.join(' '), command]];
}

it.each(listLeaves(program, []))('flotilla %s has the option --json', (path, command) => {
  const takesJson = command.options.some(({ long }) => long === '--json');
  expect(takesJson).toBe(!WITHOUT_JSON.includes(path));
});
