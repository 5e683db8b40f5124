import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TRAFFIC_METRICS } from '@flotilla/proto';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { columnOf, createBlock, seriesOf } from './model/block.ts';
import { FIRST_BUCKET, SCOPE_IDS } from './model/columns.ts';
import { TrafficMetrics } from './prometheus.ts';

const DOCS = resolve(import.meta.dirname, '../../../../../../docs/monitoring');
const SERVICE = '018f0000-0000-7000-8000-000000000001';
const RATE_INTERVAL = '5s';

interface Panel {
  readonly title: string;
  readonly targets: ReadonlyArray<{ readonly expr: string }>;
}

let dir: string;
let exporter: Server;
let prometheus: ReturnType<typeof spawn>;
let url: string;

/** A controller's metrics with some traffic in every metric. */
function createExporter(): Server {
  const registry = new Registry();
  const metrics = new TrafficMetrics(registry, () => new Date());
  return createServer((_, answer) => {
    const block = createBlock(1);
    for (const scope of [SCOPE_IDS.server, SCOPE_IDS.cluster]) {
      const series = seriesOf(block, scope, null);
      for (const { id } of Object.values(TRAFFIC_METRICS)) columnOf(series, id, 1)[0] = 10;
      columnOf(series, FIRST_BUCKET + 5, 1)[0] = 10;
    }
    metrics.stored({ clientId: 'a', serviceId: SERVICE }, block, new Date());
    void registry.metrics().then((text) => answer.end(text));
  }).listen(0, '127.0.0.1');
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'flotilla-prometheus-'));
  exporter = createExporter();
  await once(exporter, 'listening');
  const scrape = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: [join(DOCS, 'flotilla.rules.yml')],
    scrape_configs: [
      {
        job_name: 'flotilla',
        static_configs: [{ targets: [`127.0.0.1:${(exporter.address() as AddressInfo).port}`] }],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(scrape));
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  url = `http://127.0.0.1:${port}`;
  const options = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`];
  prometheus = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  await vi.waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200), {
    timeout: 90_000,
    interval: 200,
  });
}, 120_000);
afterAll(async () => {
  const ended = prometheus && once(prometheus, 'exit');
  prometheus?.kill();
  await ended;
  exporter?.close();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

async function ask(path: string, query: Record<string, string> = {}) {
  const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query)}`);
  const body = (await answer.json()) as { status: string; error?: string; data: never };
  expect(body.status, body.error).toBe('success');
  return body.data as Record<string, never>;
}

describe('a real Prometheus', () => {
  it('accepts the rules, and their tests pass', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'flotilla.rules.test.yml'], {
      cwd: DOCS,
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
    const checked = spawnSync('promtool', ['check', 'rules', 'flotilla.rules.yml'], { cwd: DOCS, encoding: 'utf8' });
    expect(checked.status, checked.stdout + checked.stderr).toBe(0);
  });

  it('loads the rules, and every recording rule has a value from the metrics of a controller', async () => {
    const { groups } = (await ask('rules')) as unknown as { groups: { rules: { type: string; name: string }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.filter(({ type }) => type === 'alerting').length).toBeGreaterThan(4);
    await vi.waitFor(
      async () => {
        for (const { name } of rules.filter(({ type }) => type === 'recording')) {
          const { result } = (await ask('query', { query: name })) as unknown as { result: unknown[] };
          expect(result.length, name).toBe(1);
        }
      },
      { timeout: 90_000, interval: 500 },
    );
  }, 120_000);

  it('has a value for every query of the Grafana dashboard', async () => {
    const { panels } = JSON.parse(readFileSync(join(DOCS, 'flotilla-traffic.dashboard.json'), 'utf8')) as {
      panels: Panel[];
    };
    expect(panels.length).toBeGreaterThan(5);
    await vi.waitFor(
      async () => {
        for (const { title, targets } of panels) {
          for (const { expr } of targets) {
            const query = expr.replaceAll('$__rate_interval', RATE_INTERVAL).replaceAll('$service', '.*');
            const { result } = (await ask('query', { query })) as unknown as { result: unknown[] };
            expect(result.length, `${title}: ${expr}`).toBeGreaterThan(0);
          }
        }
      },
      { interval: 500 },
    );
  }, 120_000);

  it('gets every traffic metric under the name that it has in the API', async () => {
    const names = (await ask('label/__name__/values')) as unknown as string[];
    for (const [name, { kind }] of Object.entries(TRAFFIC_METRICS))
      expect(names).toContain(`flotilla_traffic_${name}${kind === 'counter' ? '_total' : ''}`);
  });
});
