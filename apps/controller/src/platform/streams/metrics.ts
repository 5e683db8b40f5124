import { Counter, Gauge, type Registry } from 'prom-client';

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
  const refusals = new Counter({
    name: 'flotilla_controller_grpc_refusals_total',
    help: 'Calls refused on the gRPC port, by error code',
    labelNames: ['code'],
    registers: [registry],
  });
  return { refused: (code) => refusals.inc({ code }) };
}
