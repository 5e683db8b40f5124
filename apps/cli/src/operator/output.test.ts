import { PassThrough } from 'node:stream';
import { ApiError } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import type { ProgramIo } from '../programs.ts';
import { EXIT, exitCodeOfStatus, toFailure } from './exit-codes.ts';
import { formatAge, print, printable, renderTable } from './output.ts';

describe('output', () => {
  it('aligns the columns of a table, with one line per row', () => {
    const rows = [
      { name: 'a', count: 7, note: null },
      { name: 'longer\nname', count: 1200, note: true },
    ];
    const columns = {
      name: (row: (typeof rows)[number]) => row.name,
      count: (row: (typeof rows)[number]) => row.count,
      note: (row: (typeof rows)[number]) => row.note,
    };
    expect(renderTable(columns, rows).split('\n')).toEqual([
      'NAME         COUNT  NOTE',
      'a                7  -',
      'longer\u{fffd}name   1200  yes',
    ]);
  });

  it('contains no control characters', () => {
    expect(printable('a\u001b[31mb\u0007\u202ec\u009b')).toBe('a\u{fffd}[31mb\u{fffd}\u{fffd}c\u{fffd}');
  });

  it('removes a trailing line break, as in a message of Envoy', () => {
    expect(printable('Address already in use\r\n')).toBe('Address already in use');
  });

  it.each([
    [true, 'mode: block\t# \u{fffd}[2J\u{fffd}\n# \u{fffd}\n'],
    [false, 'mode: block\t# \u001b[2J\u202e\r\n# \u009b'],
  ])('contains no control characters on a terminal, but is unchanged in a pipe (terminal: %s)', (isTTY, expected) => {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    print({ stdout } as unknown as ProgramIo, 'mode: block\t# \u001b[2J\u202e\r\n# \u009b');
    expect(String(stdout.read()).trimEnd()).toBe(expected.trimEnd());
  });

  it('shows an age in one unit', () => {
    const now = Date.UTC(2026, 0, 10);
    const at = (seconds: number) => new Date(now - seconds * 1000).toISOString();
    expect([5, 600, 7200, 86_400 * 3, -50].map((seconds) => formatAge(at(seconds), now))).toEqual([
      '5s',
      '10m',
      '2h',
      '3d',
      '0s',
    ]);
    expect(formatAge(null, now)).toBe('-');
  });
});

describe('a failure', () => {
  it('has an exit code for each kind of refusal', () => {
    const codes = [400, 401, 403, 404, 409, 412, 413, 429, 500, 503].map(exitCodeOfStatus);
    expect(codes).toEqual([1, 3, 3, 4, 5, 5, 1, 1, 1, 6]);
  });

  it('shows details, the records that use the record, and the request id of an internal error', () => {
    const body = {
      code: 'record.in_use',
      message: 'clusters web is in use.',
      request_id: 'r-1',
      details: [{ path: 'name', rule: 'x', message: 'is taken' }],
      users: [{ collection: 'routes', name: 'main' }],
      contents: [{ kind: 'clients', count: 3 }],
    };
    const failure = toFailure(new ApiError(409, body));
    expect(failure).toMatchObject({ exitCode: EXIT.conflict, message: body.message });
    expect(failure.lines).toEqual(['  name: is taken', '  used by routes main', '  contains 3 clients']);
    const bug = toFailure(new ApiError(500, { code: 'internal.failure', message: 'Failed.', request_id: 'r-2' }));
    expect(bug.lines).toEqual(['  request id r-2']);
  });
});
