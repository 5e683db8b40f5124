import type { ChangeEvent, EventTopic, Role } from '@flotilla/contract';
import { changeEventSchema, isRoleAtLeast, READER_TOPICS } from '@flotilla/contract';
import type { OutboxEvent } from '@flotilla/db';
import { z } from 'zod';

/** An event and whom it concerns: the members of a project, or, without one, the owners of the installation. */
export interface News {
  readonly project: string | null;
  readonly event: ChangeEvent;
}

/** What the outbox says, as far as streams are concerned. */
export interface Reading {
  readonly news: readonly News[];
  /** Sessions, accounts, tokens or memberships have changed: who may listen is to be asked again. */
  readonly isAboutListeners: boolean;
}

export interface Listener {
  readonly project: string;
  readonly role: Role;
  /** Owner of the installation. */
  readonly isOwner: boolean;
}

/** Of one topic in one project at one time: more events are told as one that stands for all. */
export const EVENTS_PER_TOPIC_MAX = 100;

const LISTENER_TOPICS: readonly string[] = ['user', 'session', 'api_token', 'project'];

const liveSchema = z.looseObject({ topic: z.string(), project: z.string().nullable(), status: z.string().optional() });
const documentsSchema = z.object({ project: z.string(), version: z.string(), keys: z.array(z.string()) });
const serviceSchema = z.object({ project_id: z.string(), service_id: z.string() });
const clientSchema = z.object({ project_id: z.string(), client_id: z.string() });

/** What is not known is passed over: the outbox also carries what others tell each other. */
export function readOutbox(rows: readonly OutboxEvent[]): Reading {
  const news: News[] = [];
  let isAboutListeners = false;
  for (const { topic, payload } of rows) {
    if (topic === 'live.changed') {
      const live = liveSchema.safeParse(payload);
      if (!live.success) continue;
      isAboutListeners ||= LISTENER_TOPICS.includes(live.data.topic);
      const { project, status, ...change } = live.data;
      const event = changeEventSchema.safeParse(
        status === undefined ? change : { ...change, outcome: toOutcome(status) },
      );
      if (event.success) news.push({ project, event: event.data });
    } else if (topic === 'documents.changed') {
      news.push(...readDocuments(payload));
    } else if (topic === 'services.changed') {
      const { data } = serviceSchema.safeParse(payload);
      if (data) news.push({ project: data.project_id, event: { topic: 'service', service_id: data.service_id } });
    } else if (topic === 'clients.removed') {
      const { data } = clientSchema.safeParse(payload);
      if (data) {
        const { project_id: project, client_id } = data;
        news.push({ project, event: { topic: 'client', client_id, change: 'removed' } });
      }
    }
  }
  return { news, isAboutListeners };
}

function readDocuments(payload: unknown): News[] {
  const { data } = documentsSchema.safeParse(payload);
  return (data?.keys ?? []).map((key) => {
    const end = key.indexOf('/');
    const place = { collection: key.slice(0, end), name: key.slice(end + 1), version: data?.version };
    return { project: data?.project ?? null, event: { topic: 'document', ...place } };
  });
}

/** What was given to a stream runs, as far as anybody here knows. */
function toOutcome(status: string): string {
  return status === 'sent' ? 'running' : status;
}

/** Owners of the installation hear of every project as such, and of what belongs to none; the rest goes by role. */
export function hears(listener: Listener, { project, event }: News): boolean {
  const concerns =
    project === listener.project || (listener.isOwner && (project === null || event.topic === 'project'));
  return concerns && (READER_TOPICS.includes(event.topic) || isRoleAtLeast(listener.role, 'admin'));
}

/** Equal ones once, in the order of their last occurrence; of a topic with very many, one for all. */
export function condense(news: Iterable<News>): News[] {
  const byGroup = new Map<string, Map<string, News>>();
  for (const one of news) {
    const group = `${one.project} ${one.event.topic}`;
    const known = byGroup.get(group) ?? new Map<string, News>();
    byGroup.set(group, known);
    const key = JSON.stringify(one.event);
    known.delete(key);
    known.set(key, one);
  }
  return [...byGroup.values()].flatMap((group) => {
    const first = group.values().next().value;
    if (group.size <= EVENTS_PER_TOPIC_MAX || !first) return [...group.values()];
    return [{ project: first.project, event: ofTopic(first.event.topic) }];
  });
}

/** The event that says that anything of a topic may have changed. */
export function ofTopic(topic: EventTopic): ChangeEvent {
  return { topic };
}
