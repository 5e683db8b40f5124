import { Counter, Gauge, type Registry } from 'prom-client';
import type { LogCounts } from './log-calls.ts';

/** Counts that are read on each scrape. */
export interface StreamCounts {
  readonly connections: () => number;
  readonly commandStreams: () => number;
  readonly adsStreams: () => number;
  readonly openings: () => number;
  readonly waitingHandshakes: () => number;
  /** Since the start, like `turnedAway`. */
  readonly putOff: () => number;
  readonly turnedAway: () => number;
  readonly logStreams: () => number;
  readonly logBytes: () => number;
  readonly logBatches: () => Readonly<LogCounts>;
}

export interface StreamMetrics {
  readonly refused: (code: string) => void;
}

export function createStreamMetrics(registry: Registry, counts: StreamCounts): StreamMetrics {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `flotilla_controller_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('grpc_connections', 'Open connections of the gRPC port', counts.connections);
  gauge('command_streams', 'Agents whose command stream this controller holds', counts.commandStreams);
  gauge('ads_streams', 'Open ADS streams of agents', counts.adsStreams);
  gauge('command_stream_openings', 'Command streams that are being opened', counts.openings);
  gauge('grpc_handshakes_waiting', 'Connections that wait for their TLS handshake', counts.waitingHandshakes);
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `flotilla_controller_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  total('command_streams_put_off_total', 'Command streams that got a time to come back', counts.putOff);
  total('grpc_connections_turned_away_total', 'Connections closed because too many waited', counts.turnedAway);
  gauge('log_streams', 'Streams over which agents send access logs', counts.logStreams);
  gauge('log_bytes_in_flight', 'Bytes of access logs that wait for the collector', counts.logBytes);
  total('log_batches_stored_total', 'Batches of access logs that agents may forget', () => counts.logBatches().stored);
  total('log_batches_put_off_total', 'Batches that agents send again later', () => counts.logBatches().putOff);
  total('log_batches_oversized_total', 'Batches above the limit, not read', () => counts.logBatches().oversized);
  const refusals = new Counter({
    name: 'flotilla_controller_grpc_refusals_total',
    help: 'Calls refused on the gRPC port, by error code',
    labelNames: ['code'],
    registers: [registry],
  });
  return { refused: (code) => refusals.inc({ code }) };
}
