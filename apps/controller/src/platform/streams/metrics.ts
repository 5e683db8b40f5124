import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts that are read on each scrape. */
export interface StreamCounts {
  readonly connections: () => number;
  readonly commandStreams: () => number;
  readonly adsStreams: () => number;
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
  const refusals = new Counter({
    name: 'flotilla_controller_grpc_refusals_total',
    help: 'Calls refused on the gRPC port, by error code',
    labelNames: ['code'],
    registers: [registry],
  });
  return { refused: (code) => refusals.inc({ code }) };
}
