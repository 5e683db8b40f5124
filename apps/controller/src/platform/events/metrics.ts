import { Counter, Gauge, type Registry } from 'prom-client';
import type { HubCounters } from './hub.ts';

export function createHubCounters(registry: Registry, openStreams: () => number): HubCounters {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `flotilla_controller_${name}`, help, labelNames, registers });
  new Gauge({
    name: 'flotilla_controller_event_streams',
    help: 'Open streams of events',
    registers,
    collect() {
      this.set(openStreams());
    },
  });
  const ended = counter('event_streams_ended_total', 'Streams of events that ended, by reason', ['reason']);
  const refused = counter('event_streams_refused_total', 'Streams of events that were refused for their number');
  const sent = counter('events_told_total', 'Events sent, after equal ones were merged');
  const resynced = counter('event_resyncs_total', 'Resyncs sent to listeners');
  return {
    ended: (reason) => ended.inc({ reason }),
    refused: () => refused.inc(),
    sent: (events) => sent.inc(events),
    resynced: () => resynced.inc(),
  };
}
