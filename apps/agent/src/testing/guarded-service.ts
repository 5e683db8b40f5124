import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { digestBundle } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';
import { bundlePrograms } from '@flotilla/testkit';
import type { ServiceHost } from '../host/types.ts';
import { bootstrapOf } from './test-host.ts';

/** Builds `flotilla shield ...` as a command that every user can run. */
export async function bundleFilter(folder: string): Promise<readonly string[]> {
  const shield = join(import.meta.dirname, '../../../shield/src');
  const { node } = await bundlePrograms(folder, {
    shield: join(shield, 'main.ts'),
    'shield-load-worker': join(shield, 'load-worker.ts'),
    'shield-thread': join(shield, 'threads/thread-main.ts'),
  });
  const program = join(folder, 'flotilla.mjs');
  await writeFile(program, "process.argv.splice(2, 1);\nawait import('./shield.mjs');\n");
  return [node, program];
}

/** Returns the process id of the serving filter. */
export async function filterPid(host: ServiceHost): Promise<number> {
  const pid = await pidOf(host, 'serving');
  if (pid === undefined) throw new Error('no filter serves');
  return pid;
}

export function standbyPid(host: ServiceHost): Promise<number | undefined> {
  return pidOf(host, 'standby');
}

async function pidOf(host: ServiceHost, role: string): Promise<number | undefined> {
  const { units } = await host.control('svc', 'status');
  return units?.find((unit) => unit.kind === 'shield' && unit.role === role)?.pid;
}

/** Returns the bootstrap of `bootstrapOf` with the filter in front, as `flotilla shield envoy-config` prints it. */
export function guardedBootstrap(
  flotillaCommand: readonly string[],
  port: number,
  socket: string,
  change: object = {},
): unknown {
  const [program = '', main = ''] = flotillaCommand;
  const text = execFileSync(program, [main, 'shield', 'envoy-config', '--listen', `unix:${socket}`, '--json']);
  const printed = JSON.parse(text.toString()) as {
    http_connection_manager: { http_filters: Array<{ typed_config: object }> };
    clusters: unknown[];
  };
  Object.assign(printed.http_connection_manager.http_filters[0]?.typed_config ?? {}, change);
  const bootstrap = JSON.parse(JSON.stringify(bootstrapOf(port))) as Bootstrap;
  const manager = bootstrap.static_resources.listeners[0]?.filter_chains[0]?.filters[0]?.typed_config;
  const { http_filters, ...options } = printed.http_connection_manager;
  if (manager) Object.assign(manager, options, { http_filters: [...http_filters, ...manager.http_filters] });
  return { ...bootstrap, static_resources: { ...bootstrap.static_resources, clusters: printed.clusters } };
}

interface Bootstrap {
  readonly static_resources: {
    readonly listeners: ReadonlyArray<{
      readonly filter_chains: ReadonlyArray<{
        readonly filters: ReadonlyArray<{ readonly typed_config: { readonly http_filters: unknown[] } }>;
      }>;
    }>;
  };
}

export function policyFor(host: string, policy = '{}'): Array<{ path: string; text: string }> {
  const text = [
    'apiVersion: flotilla.dev/v1',
    'kind: SecurityPolicy',
    'metadata:',
    '  name: p',
    'spec:',
    '  domains:',
    `    - hosts: ["${host}"]`,
    '      routes:',
    '        - match: { path_prefix: / }',
    `          policy: ${policy}`,
    '',
  ];
  return [{ path: 'p.yaml', text: text.join('\n') }];
}

export function shieldOf(files: ReadonlyArray<{ path: string; text: string }>): fleet.ShieldSpec {
  const content = files.map(({ path, text }) => ({ path, content: Buffer.from(text) }));
  return create(fleet.ShieldSpecSchema, { threads: 1, bundle: { digest: digestBundle(content), files: content } });
}
