import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { commandOutcomeSchema } from './commands.ts';

/** An event `heartbeat` without an id goes out this often: a stream that is silent for much longer is dead. */
export const EVENT_HEARTBEAT_MS = 15_000;

/**
 * What changed, never how: whoever shows it reads it again. Ids that are missing mean that anything of the topic may have
 * changed: where very much changes at once, one such event stands for all.
 *
 * Everybody in the project hears of document, policy, shield_event, project, command and job; the other topics are for owners and admins,
 * who alone may read what they are about. Of commands that only ask something nobody hears.
 */
export const changeEventSchema = z.discriminatedUnion('topic', [
  z.object({
    topic: z.literal('document'),
    collection: z.string().optional(),
    name: z.string().optional(),
    version: z.string().optional(),
  }),
  z.object({ topic: z.literal('policy'), name: z.string().optional() }),
  /** Filters have found something; told every few seconds at most. */
  z.object({ topic: z.literal('shield_event'), service_id: idSchema.optional() }),
  z.object({ topic: z.literal('project'), project_id: idSchema.optional() }),
  z.object({
    topic: z.literal('command'),
    command_id: idSchema.optional(),
    client_id: idSchema.optional(),
    service_id: idSchema.nullable().optional(),
    outcome: commandOutcomeSchema.optional(),
  }),
  /** The record, its targets or what it should run. Its status also follows from `client` connected and disconnected. */
  z.object({ topic: z.literal('service'), service_id: idSchema.optional() }),
  /** What the agent reports of one service on one client: phase, versions, rollout. */
  z.object({ topic: z.literal('node'), service_id: idSchema.optional(), client_id: idSchema.optional() }),
  z.object({
    topic: z.literal('client'),
    client_id: idSchema.optional(),
    change: z.enum(['connected', 'disconnected', 'facts', 'stats', 'removed']).optional(),
  }),
  z.object({ topic: z.literal('config_error'), service_id: idSchema.optional() }),
  z.object({ topic: z.literal('audit') }),
  z.object({ topic: z.literal('user'), user_id: idSchema.optional() }),
  z.object({ topic: z.literal('enrolment_token'), token_id: idSchema.optional() }),
  z.object({ topic: z.literal('api_token'), token_id: idSchema.optional() }),
  z.object({ topic: z.literal('group'), group_id: idSchema.optional() }),
  /** Something has happened to jobs; told a few times a second at most. */
  z.object({ topic: z.literal('job') }),
  z.object({ topic: z.literal('permission') }),
  /** A settings document; of those of the installation its owners alone hear. */
  z.object({ topic: z.literal('setting'), key: z.string().optional(), name: z.string().optional() }),
]);
export type ChangeEvent = z.infer<typeof changeEventSchema>;
export type EventTopic = ChangeEvent['topic'];

/** Topics that every member of a project hears of. */
export const READER_TOPICS: readonly EventTopic[] = ['document', 'policy', 'shield_event', 'project', 'command', 'job'];

/**
 * First event of every stream. `resumed`: what was missed since the id that the client named follows. Else either the
 * client named none, or a `resync` comes next.
 */
export const helloEventSchema = z.object({ id: z.string(), role: z.string(), resumed: z.boolean() });

/** What was missed cannot be told: everything shown is to be read again. */
export const resyncEventSchema = z.object({ id: z.string() });

/**
 * Last event of a stream that the controller ends in good order.
 * session  the session, the account or the token is over, or the role in the project has changed: connect again with what
 *          holds now, or sign in
 * closing  the controller stops: connect again
 */
export const endEventSchema = z.object({ reason: z.enum(['session', 'closing']) });

export const eventRoutes = {
  stream: defineRoute({
    id: 'streamEvents',
    method: 'GET',
    path: '/api/v3/events',
    summary: 'What changes in a project, as server-sent events: hello, change, resync, heartbeat, end',
    tag: 'Events',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    media: 'text/event-stream',
    query: z.strictObject({
      project: idSchema,
      /** Id of the last event that was seen, for clients that cannot send the header Last-Event-ID. */
      last_event_id: z.string().max(128).optional(),
    }),
    status: 200,
    /** The `data` of the events named `change`. */
    response: changeEventSchema,
  }),
};
