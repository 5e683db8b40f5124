import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ECHO_PATH, startWireEcho, type WireEchoServer } from './echo-service.ts';

const run = promisify(execFile);
const sources = join(import.meta.dirname, 'foreign');
/** The folder of Debian's Go source packages; no module is downloaded. */
const GO_PATH = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
/** Concurrent calls, messages per call, bytes per message. */
const LOADS: readonly [number, number, number][] = [
  [1, 5000, 100],
  [20, 200, 2000],
  [4, 5, 5_000_000],
];

describe('third-party clients are served (issue 17 wire)', () => {
  let folder: string;
  let goClient: string;
  let server: WireEchoServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foreign-'));
    goClient = join(folder, 'echo_client');
    const env = { ...process.env, ...GO_PATH };
    await run('go', ['build', '-o', goClient, join(sources, 'echo_client.go')], { env });
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  beforeEach(async () => {
    server = await startWireEcho();
  });
  afterEach(() => server.close(0));

  const echo = async (program: string, args: readonly string[], load: readonly number[]) => {
    const { stdout } = await run(program, [...args, `127.0.0.1:${server.port}`, ECHO_PATH, ...load.map(String)]);
    return stdout.trim();
  };

  it.each(LOADS)('grpc-go, which sends PINGs with its data: %i calls of %i messages of %i bytes', async (...load) => {
    expect(await echo(goClient, [], load)).toBe(`echoed ${load[0]} of ${load[0]} calls`);
    expect([server.counters.connectionErrors, server.counters.streamErrors]).toEqual([0, 0]);
  });

  it.each(LOADS)('grpcio, the core in C: %i calls of %i messages of %i bytes', async (...load) => {
    const args = [join(sources, 'echo_client.py')];
    expect(await echo('/usr/bin/python3', args, load)).toBe(`echoed ${load[0]} of ${load[0]} calls`);
    expect([server.counters.connectionErrors, server.counters.streamErrors]).toEqual([0, 0]);
  });

  it.each(['4096', '0', '65536'])('h2load with a header table of %s bytes', async (table) => {
    const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
    const load = ['-n', '20000', '-c', '2', '-m', '50', '--header-table-size', table];
    const body = ['-d', join(sources, 'call.bin')];
    const url = `http://127.0.0.1:${server.port}${ECHO_PATH}`;
    const { stdout } = await run('h2load', ['-t', '1', ...load, ...body, ...headers, url]);
    expect(stdout).toContain('20000 succeeded, 0 failed, 0 errored, 0 timeout');
  });
});
