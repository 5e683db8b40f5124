import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { createLogger } from '@flotilla/kit';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseOtlp } from './config.ts';
import { LogQueue, OtlpExporter } from './index.ts';

const WAIT = { interval: 20 };

interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: decoded JSON of any shape
  readonly body: any;
}

/** A receiver of OTLP/HTTP in JSON. */
async function openReceiver(answer: { status: number | 'hang' } = { status: 200 }) {
  const requests: Request[] = [];
  const server: Server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const isPacked = request.headers['content-encoding'] === 'gzip';
      const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
      if (answer.status !== 'hang') response.writeHead(answer.status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const to = (path: string) => requests.filter((request) => request.path === path);
  return { requests, to, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function open(env: Record<string, string>, logs = new LogQueue()) {
  const config = parseOtlp({ OTEL_METRIC_EXPORT_INTERVAL: '50', ...env });
  if (!config.ok) throw new Error(config.error);
  const metrics = new Registry();
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', destination: '/dev/null', tap: (line) => lines.push(line) });
  const exporter = new OtlpExporter({ config: config.value, metrics, logs, logger });
  onTestFinished(() => exporter.close());
  exporter.start();
  return { metrics, logs, lines, exporter };
}

/** The records of a request with log lines. */
function recordsOf(request: Request | undefined) {
  if (!request) throw new Error('There is no such request.');
  return request.body.resourceLogs[0].scopeLogs[0].logRecords;
}

/** The points of a metric in the form of the lines of `/metrics`. */
function toLines({ body }: Request): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: decoded JSON of any shape
  const metrics: any[] = body.resourceMetrics[0].scopeMetrics[0].metrics;
  const labelsOf = (attributes: { key: string; value: Record<string, string> }[]) =>
    attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const);
  const line = (name: string, labels: readonly (readonly [string, unknown])[], value: number) =>
    `${name}${labels.length === 0 ? '' : `{${labels.map(([key, text]) => `${key}="${text}"`).join(',')}}`} ${value}`;
  return metrics.flatMap(({ name, sum, gauge, histogram, summary }) => {
    const numbers = (sum ?? gauge)?.dataPoints ?? [];
    // biome-ignore lint/suspicious/noExplicitAny: decoded JSON of any shape
    const fromNumbers = numbers.map((point: any) => line(name, labelsOf(point.attributes), point.asDouble));
    // biome-ignore lint/suspicious/noExplicitAny: decoded JSON of any shape
    const fromHistograms = (histogram?.dataPoints ?? []).flatMap((point: any) => {
      const labels = labelsOf(point.attributes);
      let upTo = 0;
      const buckets = point.bucketCounts.map((count: string, index: number) => {
        upTo += Number(count);
        return line(`${name}_bucket`, [['le', point.explicitBounds[index] ?? '+Inf'], ...labels], upTo);
      });
      return [...buckets, line(`${name}_sum`, labels, point.sum), line(`${name}_count`, labels, Number(point.count))];
    });
    // biome-ignore lint/suspicious/noExplicitAny: decoded JSON of any shape
    const fromSummaries = (summary?.dataPoints ?? []).flatMap((point: any) => {
      const labels = labelsOf(point.attributes);
      return [
        ...point.quantileValues.map(({ quantile, value }: { quantile: number; value: number }) =>
          line(name, [['quantile', quantile], ...labels], value),
        ),
        line(`${name}_sum`, labels, point.sum),
        line(`${name}_count`, labels, Number(point.count)),
      ];
    });
    return [...fromNumbers, ...fromHistograms, ...fromSummaries];
  });
}

describe('metrics by OTLP', () => {
  it('are those of the registry at the same time, with the same names, labels and values', async () => {
    const receiver = await openReceiver();
    const { metrics } = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc,x-scope=one',
      OTEL_SERVICE_NAME: 'fleet',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    const registers = [metrics];
    new Counter({ name: 'made_total', help: 'Made', labelNames: ['kind'], registers }).inc({ kind: 'a "b"' }, 3);
    new Gauge({ name: 'level', help: 'Level', registers }).set(-1.5);
    new Gauge({ name: 'unknown', help: 'Not known', registers }).set(Number.NaN);
    const times = new Histogram({
      name: 'times_seconds',
      help: 'Times',
      labelNames: ['to'],
      buckets: [0.1, 1],
      registers,
    });
    for (const value of [0.05, 0.5, 0.7, 20]) times.observe({ to: 'x' }, value);
    const sizes = new Summary({ name: 'sizes_bytes', help: 'Sizes', percentiles: [0.5], registers });
    for (const value of [1, 2, 3]) sizes.observe(value);
    const wanted = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^(made|level|times|sizes)/.test(line))
        .map((line) => line.replaceAll('\\"', '"'))
        .toSorted();
    const shown = wanted(await metrics.metrics());
    await expect
      .poll(
        () =>
          wanted(
            receiver.to('/v1/metrics').at(-1) === undefined
              ? ''
              : toLines(receiver.to('/v1/metrics').at(-1) as Request).join('\n'),
          ),
        WAIT,
      )
      .toEqual(shown);
    const [request] = receiver.to('/v1/metrics');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'x-scope': 'one',
      'content-type': 'application/json',
    });
    const attributes = request?.body.resourceMetrics[0].resource.attributes;
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'fleet' } });
    expect(attributes).toContainEqual({ key: 'deployment.environment.name', value: { stringValue: 'test' } });
    expect(JSON.stringify(request?.body)).not.toContain('"unknown"');
  });

  it('to a receiver that hangs leave one request open', async () => {
    const receiver = await openReceiver({ status: 'hang' });
    const { metrics, exporter } = open({
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/own`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    });
    await expect.poll(() => receiver.requests.length, WAIT).toBe(1);
    await exporter.close();
    // The first one, and the last attempt of the end.
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/own', '/own']);
    expect(await metrics.getSingleMetricAsString('flotilla_otlp_exports_total')).toContain('outcome="failed"');
  });
});

describe('log lines by OTLP', () => {
  it('become records with time, severity, text and attributes', async () => {
    const receiver = await openReceiver();
    const logs = new LogQueue();
    const logger = createLogger({ name: 'controller', destination: '/dev/null', tap: (line) => logs.offer(line) });
    open({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${receiver.url}/v1/logs` }, logs);
    logger.warn(
      { client: 'edge-1', tries: 3, ok: false, password: 'hidden-from-all', err: new TypeError('no\nway') },
      'stream.lost',
    );
    await expect.poll(() => receiver.to('/v1/logs').length, WAIT).toBe(1);
    const [record] = recordsOf(receiver.requests[0]);
    expect(record).toMatchObject({ severityNumber: 13, severityText: 'WARN', body: { stringValue: 'stream.lost' } });
    expect(Math.abs(Number(record.timeUnixNano) / 1e6 - Date.now())).toBeLessThan(600_000);
    expect(record.attributes).toEqual(
      expect.arrayContaining([
        { key: 'client', value: { stringValue: 'edge-1' } },
        { key: 'tries', value: { intValue: '3' } },
        { key: 'ok', value: { boolValue: false } },
        { key: 'password', value: { stringValue: '[redacted]' } },
        { key: 'exception.type', value: { stringValue: 'TypeError' } },
        { key: 'exception.message', value: { stringValue: 'no\nway' } },
      ]),
    );
    expect(JSON.stringify(receiver.requests)).not.toContain('hidden-from-all');
  });

  it('wait in a bounded queue while the receiver is down, and are counted when they do not fit', async () => {
    const answer: { status: number } = { status: 503 };
    const receiver = await openReceiver(answer);
    const logs = new LogQueue({ lines: 100, bytes: 1_000_000 });
    for (let i = 0; i < 250; i += 1) logs.offer(JSON.stringify({ level: 30, time: i, msg: `line ${i}` }));
    const { metrics, lines } = open({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: receiver.url }, logs);
    await expect.poll(() => receiver.requests.length, WAIT).toBeGreaterThan(1);
    expect([logs.waiting, logs.dropped]).toEqual([100, 150]);
    expect(lines.filter((line) => line.includes('otlp.not_accepted'))).toHaveLength(1);
    answer.status = 200;
    await expect.poll(() => logs.waiting, WAIT).toBe(0);
    expect(
      recordsOf(receiver.requests.at(-1)).map(({ body }: { body: { stringValue: string } }) => body.stringValue),
    ).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`));
    expect(await metrics.getSingleMetricAsString('flotilla_otlp_log_lines_dropped_total')).toMatch(/ 150$/);
  });

  it('that a receiver refuses for good are dropped, and no record is about the export itself', async () => {
    const receiver = await openReceiver({ status: 400 });
    const logs = new LogQueue();
    logs.offer('{"level":30,"time":1,"msg":"refused"}');
    logs.offer('{"level":40,"time":1,"msg":"otlp.not_accepted"}');
    logs.offer('no JSON');
    open({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: receiver.url }, logs);
    await expect.poll(() => logs.waiting, WAIT).toBe(0);
    expect(receiver.requests).toHaveLength(1);
    expect(recordsOf(receiver.requests[0])).toHaveLength(1);
    expect(logs.dropped).toBe(3);
  });
});

describe('the variables of OpenTelemetry', () => {
  const read = (env: Record<string, string>) => {
    const parsed = parseOtlp(env);
    return parsed.ok ? parsed.value : parsed.error;
  };
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com/base/' };

  it('export nothing without an address, and may switch off each signal', () => {
    expect(read({})).toMatchObject({ metrics: undefined, logs: undefined, intervalMs: 60_000 });
    expect(read({ ...ENDPOINT, OTEL_LOGS_EXPORTER: 'none' })).toMatchObject({
      metrics: { url: 'https://otel.example.com/base/v1/metrics', timeoutMs: 10_000 },
      logs: undefined,
    });
    expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toMatchObject({ metrics: undefined, logs: undefined });
  });

  it('of one signal have precedence', () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: '5', OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: '7' };
    expect(read(env)).toMatchObject({ metrics: { timeoutMs: 5 }, logs: { timeoutMs: 7 } });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:secret-word@otel.example.com'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-a=b%0d%0ax-secret-word: 1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'content-length=secret-word'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-word'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 'secret-word'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
    ['OTEL_METRICS_EXPORTER', 'console'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%'],
  ])('are refused with their name and without their value: %s=%s', (name, value) => {
    const problem = read({ ...ENDPOINT, [name]: value });
    expect(problem).toEqual(expect.stringContaining(name));
    expect(problem).not.toContain('secret-word');
  });
});
