import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTROLLER_USAGE, parseConfig } from './config.ts';

function webDirOf(argv: string[], env: NodeJS.ProcessEnv): string | undefined {
  const parsed = parseConfig(argv, env);
  return parsed.ok ? parsed.value.webDir : undefined;
}

describe('the folder of the web UI', () => {
  it('is that of a build if the controller runs from its sources', () => {
    expect(webDirOf([], {})).toBe(resolve(import.meta.dirname, '../../../..', 'dist/web'));
  });

  it('is set by the environment, and overridden by the flag', () => {
    expect(webDirOf([], { SVC_WEB_DIR: '/srv/screens' })).toBe('/srv/screens');
    expect(webDirOf(['--web-dir', 'screens'], { SVC_WEB_DIR: '/srv/screens' })).toBe(join(process.cwd(), 'screens'));
  });
});

it('REST and the web UI use port 8099 by default', () => {
  const portOf = (argv: string[], env: NodeJS.ProcessEnv = {}) => {
    const parsed = parseConfig(argv, env);
    return parsed.ok ? parsed.value.port : undefined;
  };
  expect([portOf([]), portOf([], { SVC_PORT: '9000' }), portOf(['--port', '9001'])]).toEqual([8099, 9000, 9001]);
});

it('every flag in the usage exists, and is listed with its value', () => {
  const flags = [...CONTROLLER_USAGE.matchAll(/^ {2}(--[\w-]+) +([A-Z:]+) /gm)].map(([, flag = '', value]) => [
    flag,
    value,
  ]);
  expect(flags.length).toBeGreaterThan(5);
  for (const [flag = '', value] of flags)
    expect(parseConfig([flag, value === 'PORT' ? '1' : 'x'], {}).ok, flag).toBe(true);
  const { error } = parseConfig(['--nope'], {}) as { error: string };
  expect(error).toContain('--nope');
});

it('the interval of statistics and the number of connections have defaults and limits', () => {
  const read = (env: NodeJS.ProcessEnv) => {
    const parsed = parseConfig([], env);
    return parsed.ok ? [parsed.value.agentStatsS, parsed.value.agentConnections] : parsed.error;
  };
  expect(read({})).toEqual([10, 20_000]);
  expect(read({ SVC_AGENT_STATS_SECONDS: '30', SVC_AGENT_CONNECTIONS: '100000' })).toEqual([30, 100_000]);
  for (const value of ['4', '61', '10.5', 'often', '-1'])
    expect(read({ SVC_AGENT_STATS_SECONDS: value })).toBe(
      `SVC_AGENT_STATS_SECONDS must be a whole number from 5 to 60, not "${value}"`,
    );
  expect(read({ SVC_AGENT_CONNECTIONS: '0' })).toMatch(
    /SVC_AGENT_CONNECTIONS must be a whole number from 1 to 1000000/,
  );
});

describe('a start that moves events', () => {
  const read = (env: NodeJS.ProcessEnv) => {
    const parsed = parseConfig(['--move-events', '--data', '/srv/flotilla'], env);
    return parsed.ok ? parsed.value.moveEventsTo : parsed.error;
  };
  const server = 'clickhouse://u:secret-word@ch.example.com/events';

  it('has another store as its target', () => {
    expect(read({ SVC_EVENT_STORE_TARGET: server })).toMatchObject({ kind: 'clickhouse', database: 'events' });
    expect(read({ SVC_EVENT_STORE: server, SVC_EVENT_STORE_TARGET: 'file' })).toEqual({
      kind: 'duckdb',
      path: '/srv/flotilla/events.duckdb',
    });
  });

  it.each<NodeJS.ProcessEnv>([
    {},
    { SVC_EVENT_STORE_TARGET: 'off' },
    { SVC_EVENT_STORE_TARGET: 'file' },
    { SVC_EVENT_STORE: 'off', SVC_EVENT_STORE_TARGET: 'file' },
    { SVC_EVENT_STORE: server, SVC_EVENT_STORE_TARGET: server.replace('u:secret-word', 'other:secret-word') },
    { SVC_EVENT_STORE_TARGET: 'mysql://secret-word' },
  ])('is refused with %j', (env) => {
    expect(read(env)).toEqual(expect.stringMatching(/event/i));
    expect(read(env)).not.toContain('secret-word');
  });
});
