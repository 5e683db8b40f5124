import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMPLETION_SCRIPTS } from './scripts.ts';

function completeInBash(candidates: string, words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${COMPLETION_SCRIPTS.bash}
flotilla() { printf '%s\\n' "$@" >&2; printf '%b\\n' '${candidates}'; }
COMP_WORDS=(flotilla ${quoted}); COMP_CWORD=${words.length}
_flotilla
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const done = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', cwd: import.meta.dirname });
  expect(done.status).toBe(0);
  return done.stdout.split('\n').filter(Boolean);
}

it('bash offers the candidates with the typed prefix', () => {
  expect(completeInBash('clusters\\nclients\\nroutes', ['get', 'cl'])).toEqual(['clusters', 'clients']);
  expect(completeInBash('', ['get', 'x'])).toEqual([]);
});

it('bash offers files for a file argument', () => {
  expect(completeInBash(':files', ['apply', '-f', 'scripts.r'])).toEqual(['scripts.real.test.ts']);
});

it('bash does not execute code in a name', () => {
  const name = '$(touch$IFS/dev/shm/flotilla-owned)`id`*';
  expect(completeInBash(name, ['get', ''])).toEqual([name]);
});
