import { changeEventSchema, LDAP_SETTINGS, OIDC_SETTINGS } from '@flotilla/contract';
import { LIVE_TOPIC, type OutboxEvent } from '@flotilla/db';
import * as z from 'zod';
import type { News } from './model.ts';

export interface Reading {
  readonly news: readonly News[];
  /**
   * Sessions, accounts, tokens, memberships or sign-in settings have changed: the listeners' rights must be checked
   * again.
   */
  readonly isAboutListeners: boolean;
}

const LISTENER_TOPICS: readonly string[] = ['user', 'session', 'api_token', 'project'];
const REALM_SETTINGS: readonly string[] = [LDAP_SETTINGS.key, OIDC_SETTINGS.key];

const liveSchema = z.looseObject({ topic: z.string(), project: z.string().nullable(), status: z.string().optional() });
const documentsSchema = z.object({ project: z.string(), version: z.string(), keys: z.array(z.string()) });
const serviceSchema = z.object({ project_id: z.string(), service_id: z.string() });
const settingSchema = z.object({ key: z.string(), name: z.string(), project: z.string().nullable() });
const clientSchema = z.object({ project_id: z.string(), client_id: z.string() });

/** Skips unknown topics: the outbox also carries messages between controllers. */
export function readOutbox(rows: readonly OutboxEvent[]): Reading {
  const news: News[] = [];
  let isAboutListeners = false;
  for (const { topic, payload } of rows) {
    if (topic === LIVE_TOPIC) {
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
    } else if (topic === 'setting.changed') {
      const { data } = settingSchema.safeParse(payload);
      if (!data) continue;
      isAboutListeners ||= REALM_SETTINGS.includes(data.key);
      news.push({ project: data.project, event: { topic: 'setting', key: data.key, name: data.name } });
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

/** A command that was sent counts as running. */
function toOutcome(status: string): string {
  return status === 'sent' ? 'running' : status;
}
