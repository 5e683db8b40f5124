import { createId } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KnownActor } from '../http/actor.ts';
import { COALESCE_MS, EventHub, type HubCounters, type HubLimits } from './hub.ts';
import { EVENTS_PER_TOPIC_MAX, type Listener, type News } from './model.ts';

const PROJECT = createId();
const ADMIN: Listener = { project: PROJECT, role: 'admin', isOwner: false, isReader: false };
const actor = (): KnownActor => ({
  kind: 'token',
  id: createId(),
  name: 'ci',
  secretId: createId(),
  projectId: PROJECT,
  role: 'admin',
  families: null,
});
const policy = (name: string, project: string | null = PROJECT): News => ({
  project,
  event: { topic: 'policy', name },
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createHub(limits: Partial<HubLimits> = {}) {
  const ended: string[] = [];
  const counters = {
    ended: (reason: string) => void ended.push(reason),
    refused: vi.fn<HubCounters['refused']>(),
    sent: vi.fn<HubCounters['sent']>(),
    resynced: vi.fn<HubCounters['resynced']>(),
  };
  return { hub: new EventHub({ counters, limits }), counters, ended };
}

/** Returns what was sent to the reader since the last call. */
function read(body: ReturnType<EventHub['open']>): { id?: string; event: string; data: Record<string, unknown> }[] {
  const text: string = body.read()?.toString() ?? '';
  return text.split('\n\n').flatMap((frame) => {
    if (frame === '') return [];
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    const id = field('id');
    return [{ ...(id !== undefined && { id }), event: field('event') ?? '', data: JSON.parse(field('data') ?? '') }];
  });
}

describe('the event hub', () => {
  it('sends equal changes of one moment once, and again in the next', () => {
    const { hub } = createHub();
    const body = hub.open(actor(), [ADMIN], undefined);
    read(body);
    hub.note([policy('a'), policy('b')]);
    hub.note([policy('a')]);
    expect(read(body)).toEqual([]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(body).map(({ data }) => data.name)).toEqual(['b', 'a']);
    hub.note([policy('a')]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(body).map(({ data }) => data.name)).toEqual(['a']);
  });

  it('replaces very many changes of one topic by one, and sends the other topics unchanged', () => {
    const { hub } = createHub();
    const body = hub.open(actor(), [ADMIN], undefined);
    read(body);
    hub.note(Array.from({ length: EVENTS_PER_TOPIC_MAX + 1 }, (_, i) => policy(`p${i}`)));
    hub.note([{ project: PROJECT, event: { topic: 'audit' } }]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(body).map(({ data }) => data)).toEqual([{ topic: 'policy' }, { topic: 'audit' }]);
  });

  it('tells a listener with restricted access that something has changed, but not what', () => {
    const { hub } = createHub();
    const listener: Listener = { ...ADMIN, role: 'editor', isReader: true };
    const body = hub.open(actor(), [listener], undefined);
    const first = read(body);
    hub.note([policy('hidden')]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(body).map(({ data }) => data)).toEqual([{ topic: 'policy' }]);
    const again = hub.open(actor(), [listener], first[0]?.id);
    expect(read(again).map(({ data }) => data)).toEqual([
      expect.objectContaining({ resumed: true, user_id: null, projects: [PROJECT] }),
      { topic: 'policy' },
    ]);
  });

  it.each([
    ['config_error', undefined, true],
    ['node', undefined, true],
    ['client', 'disconnected', true],
    ['client', 'stats', false],
    ['audit', undefined, false],
    ['enrolment_token', undefined, false],
  ] as const)('screen bug 10: sends a viewer for %s (%s): %s', (topic, change, heard) => {
    const { hub } = createHub();
    const body = hub.open(actor(), [{ ...ADMIN, role: 'viewer', isOwner: false }], undefined);
    read(body);
    const event = { topic, ...(change && { change }) } as News['event'];
    hub.note([{ project: PROJECT, event }]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(body).map(({ data }) => data)).toEqual(heard ? [event] : []);
  });

  it('disconnects a reader that does not read, and nobody else', () => {
    const { hub, ended } = createHub();
    const [slow, quick] = [hub.open(actor(), [ADMIN], undefined), hub.open(actor(), [ADMIN], undefined)];
    for (let round = 0; round < 100 && !slow.destroyed; round += 1) {
      hub.note(Array.from({ length: 100 }, (_, i) => policy(`policy-${'x'.repeat(100)}-${i}`)));
      vi.advanceTimersByTime(COALESCE_MS);
      expect(read(quick).length).toBeGreaterThan(0);
      expect(slow.readableLength).toBeLessThan(512 * 1024);
    }
    expect(slow.destroyed).toBe(true);
    expect(quick.destroyed).toBe(false);
    vi.useRealTimers();
    return vi.waitFor(() => {
      expect(ended).toEqual(['slow']);
      expect(hub.streams.size).toBe(1);
    });
  });

  it('drops an ended stream whose reader does not read', () => {
    const { hub } = createHub();
    const body = hub.open(actor(), [ADMIN], undefined);
    for (const stream of hub.streams) stream.end('session');
    hub.note([policy('too late')]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(body.destroyed).toBe(false);
    vi.advanceTimersByTime(5000);
    expect(body.destroyed).toBe(true);
    expect(read(body).map(({ event }) => event)).toEqual(['hello', 'end']);
  });

  it('replays its history and requests a resync beyond it', () => {
    const { hub, counters } = createHub({ history: 10 });
    const id = String(read(hub.open(actor(), [ADMIN], undefined))[0]?.id);
    for (let i = 0; i < 10; i += 1) hub.note([policy(`p${i}`)]);
    const again = read(hub.open(actor(), [ADMIN], id));
    expect(again[0]).toEqual({
      id,
      event: 'hello',
      data: { id, role: 'admin', resumed: true, user_id: null, projects: [PROJECT] },
    });
    expect(again.slice(1).map(({ data }) => data.name)).toEqual(Array.from({ length: 10 }, (_, i) => `p${i}`));
    expect(new Set(again.map((event) => event.id)).size).toBe(11);
    hub.note([policy('one more')]);
    const late = read(hub.open(actor(), [ADMIN], id));
    expect(late.map(({ event }) => event)).toEqual(['hello', 'resync']);
    expect(late[0]).not.toHaveProperty('id');
    expect(counters.resynced).toHaveBeenCalledTimes(1);
  });

  it('requests a resync if a replay would be too large for the reader', () => {
    const { hub } = createHub();
    const id = String(read(hub.open(actor(), [ADMIN], undefined))[0]?.id);
    for (let round = 0; round < 20; round += 1) {
      hub.note(Array.from({ length: 100 }, (_, i) => policy(`policy-${'x'.repeat(100)}-${i}`)));
      vi.advanceTimersByTime(COALESCE_MS);
    }
    const again = hub.open(actor(), [ADMIN], id);
    expect(again.destroyed).toBe(false);
    expect(read(again).map(({ event }) => event)).toEqual(['hello', 'resync']);
  });

  it('accepts no id from before a loss of events', () => {
    const { hub } = createHub();
    const body = hub.open(actor(), [ADMIN], undefined);
    const id = String(read(body)[0]?.id);
    hub.note([policy('a')]);
    hub.resync();
    const [resync] = read(body);
    expect(resync).toMatchObject({ event: 'resync', id: expect.any(String) });
    expect(read(hub.open(actor(), [ADMIN], id)).map(({ event }) => event)).toEqual(['hello', 'resync']);
    expect(read(hub.open(actor(), [ADMIN], resync?.id))[0]?.data.resumed).toBe(true);
  });

  it('sends events without a project to owners of the installation only', () => {
    const { hub } = createHub();
    const owner = hub.open(actor(), [{ ...ADMIN, role: 'owner', isOwner: true }], undefined);
    const member = hub.open(actor(), [{ ...ADMIN, role: 'owner' }], undefined);
    read(owner);
    read(member);
    const elsewhere = createId();
    hub.note([
      { project: null, event: { topic: 'user', user_id: createId() } },
      { project: elsewhere, event: { topic: 'project', project_id: elsewhere } },
      { project: elsewhere, event: { topic: 'audit' } },
    ]);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(read(owner).map(({ data }) => data.topic)).toEqual(['user', 'project']);
    expect(read(member)).toEqual([]);
  });

  it('sends a heartbeat every 15 seconds, without an id to continue from', () => {
    const { hub } = createHub();
    const body = hub.open(actor(), [ADMIN], undefined);
    read(body);
    vi.advanceTimersByTime(15_000);
    expect(read(body)).toEqual([{ event: 'heartbeat', data: {} }]);
    hub.close();
  });

  it('has a maximum number of streams in total', () => {
    const { hub, counters } = createHub({ streams: 2 });
    hub.open(actor(), [ADMIN], undefined);
    hub.open(actor(), [ADMIN], undefined);
    expect(() => hub.open(actor(), [ADMIN], undefined)).toThrow('Too many event streams');
    expect(counters.refused).toHaveBeenCalledTimes(1);
  });

  it('opens no stream after it was closed', () => {
    const { hub } = createHub();
    hub.close();
    expect(() => hub.open(actor(), [ADMIN], undefined)).toThrow('Too many event streams');
  });
});
