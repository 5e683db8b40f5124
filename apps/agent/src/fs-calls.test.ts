import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Lists every file system call of the agent, with the reason why it is safe with hostile services. The test fails for another
 * file or another count. Before you add a call, decide in which folder it works (see docs/security.md, "Agents and the
 * services of a host").
 */
const SAFE = {
  agent: 'only in folders of the agent, which no service can change',
  open: 'in folders that a service can change, by an open folder or file, without following links',
  system: 'kernel files and folders of the system',
} as const;

const CALLS: Readonly<Record<string, { readonly where: ReadonlyArray<keyof typeof SAFE>; readonly calls: string }>> = {
  'access-log/spool/boot-id.ts': { where: ['system'], calls: 'readFileSync 1' },
  'access-log/spool/segment-files.ts': { where: ['agent'], calls: 'makeFolder 1, open 3, readFile 1, readdir 1, rm 2' },
  'appliance/status/compliance.ts': { where: ['agent', 'system'], calls: 'readdir 1, stat 1' },
  'appliance/status/health.ts': { where: ['agent', 'system'], calls: 'readdir 1, stat 1, statfs 1' },
  'appliance/status/network-change.ts': { where: ['agent'], calls: 'readFile 1, stat 1' },
  'appliance/status/read-text.ts': { where: ['system'], calls: 'readFile 1' },
  'appliance/status/upgrade.ts': { where: ['system'], calls: 'readdir 1' },
  'appliance/support-bundle/archive.ts': { where: ['agent'], calls: 'createWriteStream 1, open 1' },
  'appliance/support-bundle/bundle-folder.ts': {
    where: ['agent'],
    calls: 'makeFolder 1, readFileIfThere 1, readdir 1, rm 5, writeFileAtomically 1',
  },
  'appliance/support-bundle/create-bundle.ts': {
    where: ['agent'],
    calls: 'readFile 1, readFileIfThere 1, rename 1, tryFileLock 1',
  },
  'appliance/support-bundle/list-sources.ts': { where: ['agent'], calls: 'readdir 1' },
  'appliance/support-bundle/live-answers.ts': { where: ['agent'], calls: 'makeFolder 1, writeFileAtomically 1' },
  'appliance/support-bundle/read-source.ts': { where: ['agent', 'open', 'system'], calls: 'open 1, readdir 1' },
  'appliance/support-bundle/support-bundles.ts': {
    where: ['agent'],
    calls: 'makeFolder 1, open 2, statfs 1, tryFileLock 1, writeFileAtomically 1',
  },
  'commands/journal-file.ts': { where: ['agent'], calls: 'open 3, readFileIfThere 1, writeFileAtomically 1' },
  'config.ts': { where: ['agent'], calls: 'readFileSync 1' },
  'facts/capabilities.ts': { where: ['agent', 'system'], calls: 'access 4, readFile 1' },
  'facts/detect-cloud.ts': { where: ['system'], calls: 'readFile 1' },
  'facts/host-programs.ts': { where: ['system'], calls: 'access 1, readFile 1' },
  'facts/routing-suite.ts': { where: ['system'], calls: 'readFile 1, readdir 1, readlink 1' },
  'ha/daemon-unit.ts': { where: ['agent'], calls: 'makeFolder 1' },
  'ha/pair-file.ts': {
    where: ['agent'],
    calls: 'makeFolder 1, readFileIfThere 1, removeStaged 1, rm 1, writeFileAtomically 1',
  },
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
  'host/shield/bundle-files.ts': { where: ['agent'], calls: 'readFile 1, readdir 1, readlink 1' },
  'host/shield/envoy-admin-link.ts': { where: ['agent'], calls: 'readlink 1, rename 1, rm 2, symlink 1' },
  'host/shield/policy-stage.ts': {
    where: ['agent'],
    calls: 'chown 1, mkdir 2, readdir 1, readlink 1, rename 2, rm 6, symlink 1, writeFile 1',
  },
  'host/state-file.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'host/stats/host-sampler.ts': { where: ['system'], calls: 'readFile 1, statfs 1' },
  'host/tcp-owner.ts': { where: ['system'], calls: 'readFile 1' },
  'host/units/create-runner.ts': { where: ['system'], calls: 'readFileSync 1' },
  'host/units/launch.ts': { where: ['agent'], calls: 'access 1, open 1' },
  'host/units/privileges.ts': { where: ['system'], calls: 'accessSync 1' },
  'host/units/supervisor.ts': {
    where: ['agent'],
    calls: 'access 1, mkdir 1, readFileIfThere 1, readdir 1, rm 2, writeFileAtomically 1',
  },
  'host/units/systemd.ts': { where: ['system'], calls: 'mkdir 2, readdir 2, rm 2, writeFileAtomically 2' },
  'host/user-processes.ts': { where: ['system'], calls: 'readFileSync 1, readdirSync 1' },
  'host/versions/find-users.ts': { where: ['agent'], calls: 'readFileIfThere 1' },
  'identity/identity-files.ts': { where: ['agent'], calls: 'mkdir 1, readFileIfThere 2, rm 1, writeFileAtomically 1' },
  'log-forwarding/forwarder-state.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'log-forwarding/forwarder.ts': { where: ['agent'], calls: 'makeFolder 1, rm 3' },
  'log-forwarding/programs.ts': { where: ['system'], calls: 'access 1, readdir 1' },
  'log-forwarding/release-files.ts': {
    where: ['agent'],
    calls: 'chmod 1, makeFolder 2, readFile 1, readdir 3, rm 2, stat 2, writeFileAtomically 2',
  },
  'log-forwarding/writer/log-writer.ts': { where: ['agent'], calls: 'appendFile 1, readFile 1' },
  'main.ts': { where: ['agent'], calls: 'lstat 1, makeFolder 2, open 1' },
  'network/change-folder.ts': {
    where: ['agent', 'system'],
    calls: 'makeFolder 1, mkdir 2, open 3, readFile 2, rename 2, rm 4, writeFile 1, writeFileAtomically 1',
  },
  'network/generations.ts': { where: ['agent'], calls: 'rm 1' },
  'network/guard.ts': { where: ['agent', 'system'], calls: 'mkdir 1, rm 1, tryFileLock 1, writeFile 1' },
  'network/netplan-files.ts': {
    where: ['agent', 'system'],
    calls: 'mkdir 1, readFile 2, readFileIfThere 1, readdir 1, rm 2, writeFile 1',
  },
  'network/network.ts': { where: ['agent'], calls: 'makeFolder 1' },
  'host/serve-socket.ts': { where: ['agent'], calls: 'chmod 1, lchown 1, rm 2' },
  'relay/snapshot-store.ts': { where: ['agent'], calls: 'readFileIfThere 1, writeFileAtomically 1' },
  'routing/config-engine.ts': {
    where: ['agent', 'system'],
    calls: 'readFileIfThere 1, rm 1, stat 2, writeFileAtomically 2',
  },
  'routing/health-routes.ts': { where: ['agent'], calls: 'existsSync 1' },
  'routing/routing-store.ts': {
    where: ['agent'],
    calls: 'makeFolder 1, readFileIfThere 2, rm 1, writeFileAtomically 2',
  },
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

/** Sources of the agent by their path. */
function readSources(): [name: string, source: string][] {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|suite)\.ts$|^testing\//.test(name))
    .map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')]);
}

it('every file system call is listed and safe with hostile services (attack 3)', () => {
  const counted = readSources().map(([name, source]) => [name, callsOf(source)] as const);
  const found = Object.fromEntries(counted.filter(([, calls]) => calls !== ''));
  expect(
    Object.values(CALLS)
      .flatMap(({ where }) => where)
      .every((where) => where in SAFE),
  ).toBe(true);
  expect(found).toEqual(Object.fromEntries(Object.entries(CALLS).map(([name, { calls }]) => [name, calls])));
});

it('every import of the file system is in the form that the list above counts (attack 3)', () => {
  const isCounted = (source: string) => {
    const rest = source.replaceAll(FILE_MODULES, (text) => (/[{,]\s*\w+ as /.test(text) ? text : ''));
    return !/['"`](?:node:)?fs(?:\/promises)?['"`]|getBuiltinModule|process\.binding|['"`]@flotilla\/kit\/|\* as \w+ from '@flotilla\/kit'/.test(
      rest,
    );
  };
  expect(
    ['import * as fs from "fs"', "import fs from 'node:fs'", "await import('node:fs/promises')"].filter(isCounted),
  ).toEqual([]);
  expect(isCounted("import { rm as drop } from 'node:fs/promises'")).toBe(false);
  expect(isCounted("import { constants, type Stats } from 'node:fs';")).toBe(true);
  const uncounted = readSources().filter(([, source]) => !isCounted(source));
  expect(uncounted.map(([name]) => name)).toEqual([]);
});

/** Files of kit that use the file system otherwise: the tables of processes, and the log of the program itself. */
const OTHER_KIT_FILES = new Set(['log-writer.ts', 'process-alive.ts', 'process-ref.ts']);

it('every function of kit that works on a path is counted (attack 3)', () => {
  const folder = join(import.meta.dirname, '../../../packages/kit/src');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const sources = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const users = sources.filter(([name, source]) => source.includes("'node:fs") && !OTHER_KIT_FILES.has(name));
  const exported = users.flatMap(([, source]) =>
    [...source.matchAll(/^export (?:async )?function (\w+)[<(]/gm)].map(([, name = '']) => name),
  );
  expect(exported.toSorted()).toEqual([...KIT].toSorted());
});
