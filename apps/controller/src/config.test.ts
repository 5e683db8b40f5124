import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.ts';

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
