import { describe, expect, it } from 'vitest';
import { createAdsSecret } from '../host/ads-secret.ts';
import { parseJournalLine } from './journal-entry.ts';
import { parseAccessLine, parseEnvoyLine, parsePinoLine, parseRoutingLine } from './parse-line.ts';

const AT = Date.parse('2026-02-03T04:05:06.789Z');

describe('a line of Envoy', () => {
  it('has a time in UTC, a level and the logger as component', () => {
    expect(parseEnvoyLine('[2026-02-03 04:05:06.789][17][warning][main] [source/server.cc:1] slow')).toEqual({
      timeMs: AT,
      level: 'warn',
      component: 'main',
      message: '[source/server.cc:1] slow',
      isAccess: false,
    });
  });

  it.each([
    ['"GET / HTTP/1.1" 200 - 0 5', 'info'],
    ['"GET /a b" HTTP/1.1" 404 - 0', 'info'],
    ['"GET /x HTTP/1.1" 404 NR 0', 'warn'],
    ['"GET /x HTTP/1.1" 503 UF 0', 'error'],
  ])('that reports the request %s has the level %s', (rest, level) => {
    const line = `[2026-02-03T04:05:06.789Z] ${rest}`;
    expect(parseEnvoyLine(line)).toMatchObject({ timeMs: AT, level, isAccess: true, message: rest });
    expect(parseAccessLine(line)).toEqual(parseEnvoyLine(line));
  });

  it.each([
    ['{"start_time":"2026-02-03T04:05:06.789Z","response_code":502}', AT, 'error'],
    ['{"@timestamp":"2026-02-03T04:05:06.789Z","status":"403"}', AT, 'warn'],
    ['{"time":1,"code":"x"}', undefined, 'info'],
  ])('in JSON reports a request: %s', (line, timeMs, level) => {
    const parsed = parseAccessLine(line);
    expect([parsed.timeMs, parsed.level, parsed.isAccess, parsed.message]).toEqual([timeMs, level, true, line]);
  });

  it('of another form keeps its text, and its time is that of the line before it', () => {
    expect(parseEnvoyLine('  at frame 7')).toEqual({ component: '', message: '  at frame 7', isAccess: false });
    expect(parseEnvoyLine('{"broken":')).toMatchObject({ message: '{"broken":', isAccess: false });
    expect(parseEnvoyLine('[libprotobuf ERROR x.cc:1] bad')).toMatchObject({ level: 'error' });
  });

  it('shows no secret of the connection to the agent, and no character that a terminal obeys', () => {
    const secret = createAdsSecret();
    const { message } = parseEnvoyLine(`a ${secret} \u001b[2J\u0000\u009b31m\u202e$(id) "q"\tend`);
    expect(message).not.toContain(secret);
    expect(message).toContain(' \ufffd[2J\ufffd\ufffd31m\ufffd$(id) "q"\tend');
  });
});

describe('a JSON line of the agent or the filter', () => {
  it('becomes a message with the other members behind it', () => {
    const line = JSON.stringify({
      level: 50,
      time: AT,
      pid: 1,
      name: 'agent',
      msg: 'disk.full',
      path: '/x',
      n: { a: 1 },
    });
    expect(parsePinoLine(line)).toEqual({
      timeMs: AT,
      level: 'error',
      component: 'agent',
      message: 'disk.full path=/x n={"a":1}',
      isAccess: false,
    });
  });

  it.each(['{"level":30}', 'null', '[]', '{', '{"time":"x"}', 'plain'])('of another form stays text: %s', (line) => {
    expect(parsePinoLine(line)).toEqual({ component: '', message: line, isAccess: false });
  });

  it('hides no control behind an escape of JSON', () => {
    expect(parsePinoLine(JSON.stringify({ time: AT, level: 30, msg: '\u001b[2Jx' })).message).toBe('\ufffd[2Jx');
  });
});

it('a line of FRR has the time of its host', () => {
  const parsed = parseRoutingLine('2026/02/03 04:05:06 BGP: [ABC] neighbor 192.0.2.1 up');
  expect(parsed).toMatchObject({ component: 'bgp', message: '[ABC] neighbor 192.0.2.1 up' });
  expect(parsed.timeMs).toBe(new Date(2026, 1, 3, 4, 5, 6).getTime());
});

describe('a line of a journal', () => {
  const fields = { __CURSOR: 's=a;i=1', __REALTIME_TIMESTAMP: `${AT}123`, PRIORITY: '4', SYSLOG_IDENTIFIER: 'sshd' };
  const parse = (more: object, isCut = false) =>
    parseJournalLine(JSON.stringify({ ...fields, ...more }), { source: 'host', isCut });

  it('has the level of its priority and its unit as metadata', () => {
    expect(parse({ MESSAGE: 'hello', _PID: '7', _SYSTEMD_UNIT: 'ssh.service', _HOSTNAME: 'edge' })).toMatchObject({
      timeMs: AT,
      level: 'warn',
      component: 'sshd',
      message: 'hello',
      metadata: { pid: '7', systemd_unit: 'ssh.service', hostname: 'edge' },
      before: { c: '<s=a;i=1' },
      after: { c: '>s=a;i=1' },
    });
  });

  it.each([
    [[104, 105, 0, 255], 'hi\ufffd\ufffd'],
    [['first', 'second'], 'first'],
    [null, ''],
    [7, ''],
  ])('may have bytes, a list or nothing as message: %j', (MESSAGE, message) => {
    expect(parse({ MESSAGE })?.message).toBe(message);
  });

  it('is shortened if its message is long, and keeps its place if it cannot be read', () => {
    expect(parse({ MESSAGE: 'x'.repeat(20_000) })).toMatchObject({ isCut: true, message: 'x'.repeat(16_384) });
    const cut = parseJournalLine('{"__CURSOR":"s=a;i=1","__REALTIME_TIMESTAMP":"5000","MESSAGE":"xx', {
      source: 'host',
      isCut: true,
    });
    expect(cut).toMatchObject({ timeMs: 5, isCut: true, after: { c: '>s=a;i=1' } });
  });

  it('without a cursor does not count', () => {
    expect(parse({ __CURSOR: undefined })).toBeUndefined();
    expect(parseJournalLine('-- No entries --', { source: 'host', isCut: false })).toBeUndefined();
  });
});
