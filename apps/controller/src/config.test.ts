import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTROLLER_USAGE, parseConfig } from './config.ts';

function webDirOf(argv: string[], env: NodeJS.ProcessEnv): string | undefined {
  const parsed = parseConfig(argv, env);
  return parsed.ok ? parsed.value.webDir : undefined;
}

describe('the folder of the screens', () => {
  it('is where a build puts it, when the controller runs from its sources', () => {
    expect(webDirOf([], {})).toBe(resolve(import.meta.dirname, '../../..', 'dist/web'));
  });

  it('is what the environment says, and before that the flag', () => {
    expect(webDirOf([], { SVC_WEB_DIR: '/srv/screens' })).toBe('/srv/screens');
    expect(webDirOf(['--web-dir', 'screens'], { SVC_WEB_DIR: '/srv/screens' })).toBe(join(process.cwd(), 'screens'));
  });
});

it('every flag of the usage is one, and is told with what it takes', () => {
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
