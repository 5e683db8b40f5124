import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveServiceLayout } from '@flotilla/proto';
import { expect, test } from 'vitest';
import { splitCommand } from '../../testing/fake-systemd.ts';
import { digestOf, envoyCommand } from '../envoy/instance.ts';
import { shieldArguments } from '../shield/shield-command.ts';
import { findProgram } from './privileges.ts';
import { renderUnitFile, unitNameOf } from './systemd-unit-file.ts';
import type { UnitSpec } from './types.ts';

const layout = deriveServiceLayout({ runtimeDir: '/run/flotilla', dataDir: '/var/lib/flotilla' }, 'svc');
const identity = { uid: 1_900_000_123, gid: 1_900_000_123 };

function envoyUnit(binary = '/var/lib/flotilla/envoy/1.39.3/envoy'): UnitSpec {
  const spec = {
    digest: digestOf('x'),
    version: '1.39.3',
    binary,
    hotRestartVersion: '11.104',
    bootstrapDigest: digestOf('y'),
    bootstrapFile: `${layout.dataDir}/bootstrap-0123456789ab.json`,
  };
  const startFile = `${layout.runtimeDir}/start-7-0123456789abcdef0123456789abcdef.json`;
  const adminSocket = `${layout.socketDir}/admin-7.sock`;
  return {
    serviceId: 'svc',
    serviceKey: layout.key,
    name: 'envoy-7',
    kind: 'envoy',
    command: envoyCommand({ spec, baseId: 4711, epoch: 0, adminSocket, startFile }, layout, {
      drainS: 10,
      shutdownS: 15,
    }),
    env: { PATH: '/usr/bin:/bin', HOME: layout.filesDir },
    identity,
    workDir: layout.filesDir,
    logFile: `${layout.logDir}/envoy.log`,
    writableDirs: [layout.socketDir, layout.filesDir],
  };
}

function shieldUnit(node = '/usr/bin/node'): UnitSpec {
  const shield = { $typeName: 'flotilla.fleet.v1.ShieldSpec' as const, threads: 1, xffTrustedHops: 1 };
  return {
    ...envoyUnit(),
    name: 'shield-8',
    kind: 'shield',
    command: [
      node,
      '/usr/lib/flotilla/flotilla.mjs',
      'shield',
      ...shieldArguments(shield, layout, 'edge::default::client-7'),
    ],
    logFile: `${layout.logDir}/shield.log`,
    writableDirs: [layout.socketDir],
  };
}

function haUnit(node = '/usr/bin/node'): UnitSpec {
  const dir = '/var/lib/flotilla/ha';
  const daemonDir = `${dir}/daemon`;
  return {
    serviceId: '',
    serviceKey: 'ha',
    name: 'daemon',
    kind: 'ha',
    command: [node, '/usr/lib/flotilla/flotilla.mjs', 'ha', '--config', `${dir}/pair.json`, '--data', daemonDir],
    env: { LANG: 'C.UTF-8', TZ: 'UTC' },
    identity: undefined,
    workDir: daemonDir,
    logFile: `${dir}/logs/ha.log`,
    writableDirs: [daemonDir],
  };
}

test.each([
  ['ha', haUnit()],
  ['envoy', envoyUnit()],
  ['shield', shieldUnit()],
])('the %s unit is as reviewed', (name, spec) => {
  const golden = join(import.meta.dirname, `golden/${name}.service`);
  const text = renderUnitFile(spec);
  if (process.env.GOLDEN === 'write') writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, 'utf8'));
});

test('systemd takes all units without a warning', () => {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) throw new Error('systemd-analyze is missing: install the package systemd');
  const dir = mkdtempSync(join(tmpdir(), 'fv-'));
  try {
    // It looks for the program, so any that is there will do
    const files = [envoyUnit(process.execPath), shieldUnit(process.execPath), haUnit(process.execPath)].map((spec) => {
      const file = join(dir, unitNameOf(spec));
      writeFileSync(file, renderUnitFile(spec));
      return file;
    });
    const verdict = spawnSync(analyze, ['verify', '--recursive-errors=no', ...files], { encoding: 'utf8' });
    expect(verdict).toMatchObject({ status: 0, stdout: '', stderr: '' });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('a unit in a temporary folder does not hide that folder from itself', () => {
  expect(renderUnitFile({ ...envoyUnit(), workDir: '/tmp/data/files' })).not.toContain('PrivateTmp');
});

test('nothing in a command is expanded or split by systemd', () => {
  const odd = { ...envoyUnit(), command: ['/bin/x', 'a b', '"', '%n', '$HOME', '\\', 'two\nlines'] };
  const line = renderUnitFile(odd)
    .split('\n')
    .find((one) => one.startsWith('ExecStart='));
  expect(line).toBe(String.raw`ExecStart=/bin/x "a b" "\"" %%n "$$HOME" "\\" "two\nlines"`);
  expect(splitCommand(line?.slice('ExecStart='.length) ?? '')).toEqual(odd.command);
});
