import { changeEventSchema } from '@flotilla/contract';
import { LIVE_TOPIC, type OutboxEvent } from '@flotilla/db';
import * as z from 'zod';
import type { Feature } from '../features/index.ts';
import type { News } from './model.ts';

export interface Reading {
  readonly news: readonly News[];
  /** Something has changed that decides who may listen: the listeners' rights must be checked again. */
  readonly isAboutListeners: boolean;
}

const liveSchema = z.looseObject({ topic: z.string(), project: z.string().nullable(), status: z.string().optional() });

/** Skips topics that no feature reads: the outbox also carries messages between controllers. */
export function createOutboxReading(features: readonly Feature[]): (rows: readonly OutboxEvent[]) => Reading {
  const readers = new Map(features.flatMap(({ news = {} }) => Object.entries(news)));
  const topics = new Set(features.flatMap(({ listenerRights }) => listenerRights?.topics ?? []));
  const settings = new Set(features.flatMap(({ listenerRights }) => listenerRights?.settings ?? []));
  return (rows) => {
    const news: News[] = [];
    let isAboutListeners = false;
    for (const { topic, payload } of rows) {
      if (topic === LIVE_TOPIC) {
        const live = liveSchema.safeParse(payload);
        if (!live.success) continue;
        isAboutListeners ||= topics.has(live.data.topic);
        news.push(...readLive(live.data));
      } else news.push(...(readers.get(topic)?.(payload) ?? []));
    }
    isAboutListeners ||= news.some(({ event }) => event.topic === 'setting' && settings.has(event.key ?? ''));
    return { news, isAboutListeners };
  };
}

/** A row of a table that announces its changes. */
function readLive({ project, status, ...change }: z.infer<typeof liveSchema>): News[] {
  const event = changeEventSchema.safeParse(status === undefined ? change : { ...change, outcome: toOutcome(status) });
  return event.success ? [{ project, event: event.data }] : [];
}

/** A command that was sent counts as running. */
function toOutcome(status: string): string {
  return status === 'sent' ? 'running' : status;
}
