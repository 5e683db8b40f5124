import { REPLAY_TRAFFIC_MAX, type ReplayRecords, type ReplayReport } from '@flotilla/contract';
import type { StoredEvent } from '@flotilla/event-store';
import { EVENT_MARKS } from '@flotilla/inventory';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type EventSource, parseWindow, Question } from '../events/index.ts';

type TrafficRecords = Extract<ReplayRecords, { source: 'traffic' }>;
const PAGE = 500;

/** Reads the newest events of a window as records of a replay, oldest first. */
export function createTrafficReader(source: EventSource) {
  return async (ctx: RequestContext, { from, to, service_id: serviceId, host }: TrafficRecords) => {
    const window = parseWindow({ from, to }, ctx.now);
    const filter = {
      ...(serviceId !== undefined && { service_id: [serviceId] }),
      ...(host !== undefined && { host_is: [host] }),
    };
    const question = await Question.open(ctx, source, { ...window, filter });
    const [total, { events, hasMore }] = await Promise.all([question.total(), readNewest(question)]);
    const usable = events.filter(({ method, path }) => method !== '' && path.startsWith('/'));
    const weigh = (list: readonly StoredEvent[]) => list.reduce((sum, { weight }) => sum + Math.max(weight, 1), 0);
    const oldest = events.at(-1);
    const coverage: NonNullable<ReplayReport['traffic']> = {
      from: new Date(window.from).toISOString(),
      to: new Date(window.to).toISOString(),
      events: usable.length,
      requests: weigh(usable),
      total_requests: total.requests,
      replayed_from: oldest === undefined ? null : new Date(oldest.timeMs).toISOString(),
      truncated: hasMore,
      sampled_events: usable.filter(({ weight }) => weight > 1).length,
      left_out: weigh(events) - weigh(usable),
    };
    return { text: usable.toReversed().map(toRecord).join('\n'), coverage };
  };
}

async function readNewest(question: Question): Promise<{ events: StoredEvent[]; hasMore: boolean }> {
  const events: StoredEvent[] = [];
  let cursor: string | null = null;
  do {
    const options: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = await question.ask((store, project) => store.page(project, { ...question.range(), ...options }));
    events.push(...page.events);
    cursor = page.nextCursor;
  } while (cursor !== null && events.length < REPLAY_TRAFFIC_MAX);
  return { events, hasMore: cursor !== null };
}

function toRecord(event: StoredEvent): string {
  const { timeMs, method, host, path, status, weight, consumer, source } = event;
  const client = consumer === '' ? source : consumer;
  const kind = consumer === '' ? 'source' : 'consumer';
  return JSON.stringify({
    traffic_event: {
      time_ms: timeMs,
      method,
      host,
      path,
      status,
      action: event.action,
      anonymous: event.marks.includes(EVENT_MARKS.anonymous),
      request_bytes: event.requestBytes,
      weight: Math.max(weight, 1),
      ...(client !== '' && { client: `${kind} ${client}` }),
      ...(source !== '' && { source_ip: addressOf(source) }),
    },
  });
}

/** An address that stands for the hash of a source: limiters by address then count each source by itself. */
function addressOf(hash: string): string {
  return `fd00::${(hash.match(/.{4}/g) ?? []).join(':')}`;
}
