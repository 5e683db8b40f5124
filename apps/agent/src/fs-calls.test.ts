import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Every file system call of the agent, with the reason why it is safe with hostile services. Another file, or another
 * count, fails the test: first decide in which folder the call works (see docs/security.md, "Agents and the services of
 * a host"), then add it here.
 */
const SAFE = {
  agent: 'only in folders of the agent, which no service can change',
  open: 'in folders that a service can change, by an open folder or file, without following links',
  system: 'kernel files and folders of the system',
} as const;

const CALLS: Readonly<Record<string, { readonly where: ReadonlyArray<keyof typeof SAFE>; readonly calls: string }>> = {
  'commands/journal-file.ts': { where: ['agent'], calls: 'open 3, readFileIfThere 1, writeFileAtomically 1' },
  'config.ts': { where: ['agent'], calls: 'readFileSync 1' },
  'host/desired-file.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'host/envoy/base-id.ts': {
    where: ['open'],
    calls: 'existsSync 1, lstat 1, open 1, readdir 2, unlink 1, writeFile 1',
  },
  'host/envoy/envoy-set.ts': { where: ['agent'], calls: 'readFile 1, readdir 1, rm 2, writeFileAtomically 1' },
  'host/envoy/migration-switch.ts': { where: ['system'], calls: 'readFile 1, writeFile 1' },
  'host/envoy/spec-source.ts': { where: ['agent'], calls: 'readdir 1, rm 1, writeFileAtomically 2' },
  'host/folders.ts': { where: ['agent'], calls: 'chmod 1, mkdir 2, stat 2' },
  'host/identity.ts': { where: ['system'], calls: 'readFileSync 1' },
  'host/log-tail.ts': { where: ['agent'], calls: 'open 2' },
  'host/membership.ts': { where: ['agent'], calls: 'mkdir 3' },
  'host/open-folder.ts': { where: ['open'], calls: 'lstat 2, mkdir 1, open 3, opendir 1, rename 3, rmdir 2, unlink 2' },
  'host/program-stage.ts': {
    where: ['agent'],
    calls: 'chmod 2, copyFile 1, mkdir 1, readdir 1, realpath 1, rename 1, stat 4',
  },
  'host/service-home.ts': { where: ['agent'], calls: 'readFileIfThere 1, readdir 1, removeStaged 1' },
  'host/service-socket.ts': { where: ['open'], calls: 'open 2' },
  'host/service-users.ts': {
    where: ['agent', 'system'],
    calls: 'makeFolder 1, readFileIfThere 1, readFileSync 1, writeFileAtomically 1',
  },
  'host/shield/envoy-admin-link.ts': { where: ['agent'], calls: 'readlink 1, rename 1, rm 2, symlink 1' },
  'host/shield/policy-stage.ts': {
    where: ['agent'],
    calls: 'chown 1, mkdir 2, readdir 1, readlink 1, rename 2, rm 6, symlink 1, writeFile 1',
  },
  'host/state-file.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'host/stats/host-sampler.ts': { where: ['system'], calls: 'readFile 1, statfs 1' },
  'host/tcp-owner.ts': { where: ['system'], calls: 'readFileSync 1' },
  'host/units/create-runner.ts': { where: ['system'], calls: 'readFileSync 1' },
  'host/units/launch.ts': { where: ['agent'], calls: 'access 1, open 1' },
  'host/units/privileges.ts': { where: ['system'], calls: 'accessSync 1' },
  'host/units/supervisor.ts': {
    where: ['agent'],
    calls: 'access 1, mkdir 1, readFileIfThere 1, readdir 1, rm 2, writeFileAtomically 1',
  },
  'host/units/systemd.ts': { where: ['system'], calls: 'mkdir 2, readdir 2, rm 2, writeFileAtomically 2' },
  'host/user-processes.ts': { where: ['system'], calls: 'readFileSync 1, readdirSync 1' },
  'identity/identity-files.ts': { where: ['agent'], calls: 'mkdir 1, readFileIfThere 2, rm 1, writeFileAtomically 1' },
  'main.ts': { where: ['agent'], calls: 'lstat 1, makeFolder 1' },
  'relay/envoy-socket.ts': { where: ['agent'], calls: 'chmod 1, lchown 1, rm 2' },
  'relay/snapshot-store.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'run-lock.ts': { where: ['agent'], calls: 'makeFolder 1, rm 1, tryFileLock 1' },
};

const FILE_MODULES = /import (?:type )?\{([^}]*)\} from '(?:node:fs|node:fs\/promises|@flotilla\/kit)'/g;
/** Functions of kit that take a path. */
const KIT = new Set([
  'makeFolder',
  'readFileIfThere',
  'removeStaged',
  'tryFileLock',
  'withFileLock',
  'writeFileAtomically',
]);

function callsOf(source: string): string {
  const names = [...source.matchAll(FILE_MODULES)].flatMap(([text, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^[a-z]\w*$/.test(name) && name !== 'constants' && (!text.includes('kit') || KIT.has(name))),
  );
  return names
    .toSorted()
    .map((name) => `${name} ${[...source.matchAll(new RegExp(`(?<![.\\w])${name}\\(`, 'g'))].length}`)
    .join(', ');
}

it('every call on files is known and safe while services are hostile (attack 3)', () => {
  const found: Record<string, string> = {};
  for (const name of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || /\.(test|suite)\.ts$|^testing\//.test(name)) continue;
    const calls = callsOf(readFileSync(join(import.meta.dirname, name), 'utf8'));
    if (calls !== '') found[name] = calls;
  }
  expect(
    Object.values(CALLS)
      .flatMap(({ where }) => where)
      .every((where) => where in SAFE),
  ).toBe(true);
  expect(found).toEqual(Object.fromEntries(Object.entries(CALLS).map(([name, { calls }]) => [name, calls])));
});
