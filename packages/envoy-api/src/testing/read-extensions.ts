import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An extension as reported by an Envoy that contains it. */
export interface ReportedExtension {
  readonly name: string;
  readonly category: string;
  /** Full message names; empty if it has no configuration message. */
  readonly types: readonly string[];
}

const START_DEADLINE_MS = 90_000;
const POLL_MS = 50;

/** Starts the binary with an empty configuration, reads its extensions, and stops it. Sorted by category, name. */
export async function readExtensions(binaryPath: string): Promise<ReportedExtension[]> {
  const dir = await mkdtemp(join(tmpdir(), 'envoy-extensions-'));
  const addressFile = join(dir, 'admin');
  const bootstrap = {
    node: { id: 'catalog', cluster: 'catalog' },
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } },
  };
  const flags = ['--config-yaml', JSON.stringify(bootstrap), '--admin-address-path', addressFile];
  const child = spawn(binaryPath, [...flags, '--disable-hot-restart', '--concurrency', '1', '-l', 'off'], {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  try {
    const address = await waitForAddress(addressFile, () => child.exitCode);
    const response = await fetch(`http://${address}/config_dump`);
    return parseDump(await response.json());
  } finally {
    child.kill('SIGKILL');
    await exited;
    await rm(dir, { recursive: true, force: true });
  }
}

async function waitForAddress(file: string, exitCode: () => number | null): Promise<string> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== '') return text;
    if (exitCode() !== null) throw new Error(`Envoy ended with ${exitCode()} before its admin interface was there`);
    if (Date.now() > deadline) throw new Error('Envoy opened no admin interface');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Dump {
  readonly configs: ReadonlyArray<{
    readonly bootstrap?: {
      readonly node?: { readonly extensions?: ReadonlyArray<{ name: string; category: string; type_urls?: string[] }> };
    };
  }>;
}

function parseDump(dump: unknown): ReportedExtension[] {
  const reported = (dump as Dump).configs.flatMap(({ bootstrap }) => bootstrap?.node?.extensions ?? []);
  if (reported.length === 0) throw new Error('this Envoy says nothing of its extensions');
  return reported
    .map(({ name, category, type_urls: types }) => ({ name, category, types: (types ?? []).toSorted() }))
    .toSorted((a, b) => compare(a.category, b.category) || compare(a.name, b.name));
}

/** By code units: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
