import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, repeatable } from '../schemas.ts';
import { commandOutcomeSchema } from './commands.ts';

/** Interval of the event `heartbeat`, which has no id. A stream that is silent for much longer is dead. */
export const EVENT_HEARTBEAT_MS = 15_000;

/**
 * Says what changed, never how: clients read it again. If ids are missing, anything of the topic may have changed; one such
 * event replaces many when very much changes at once.
 *
 * Everybody in the project gets the topics document, policy, shield_event, project, command, job, service, node, client and
 * config_error. Only owners and admins get the other topics and the statistics of clients, because only they may read these
 * things. Commands that only query cause no events.
 */
const changeSchema = z.discriminatedUnion('topic', [
  z.object({
    topic: z.literal('document'),
    collection: z.string().optional(),
    name: z.string().optional(),
    version: z.string().optional(),
  }),
  z.object({ topic: z.literal('policy'), name: z.string().optional() }),
  /** Filters reported new findings; at most one event every few seconds. */
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
  /** The agent's report of one service on one client: phase, versions, rollout. */
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
  /** Some jobs changed; at most a few events per second. */
  z.object({ topic: z.literal('job') }),
  z.object({ topic: z.literal('permission') }),
  /** A settings document; only owners of the installation get those of the installation. */
  z.object({ topic: z.literal('setting'), key: z.string().optional(), name: z.string().optional() }),
]);
export const changeEventSchema = changeSchema.and(
  /** Only on a stream of several projects: the project of the event. Missing if the event has no project. */
  z.object({ project: idSchema.optional() }),
);
export type ChangeEvent = z.infer<typeof changeEventSchema>;
export type EventTopic = ChangeEvent['topic'];

export const READER_TOPICS: readonly EventTopic[] = [
  'document',
  'policy',
  'shield_event',
  'project',
  'command',
  'job',
  'service',
  'node',
  'client',
  'config_error',
];

/** Limit of additional projects on one stream. */
export const EVENT_PROJECTS_MAX = 64;

/**
 * First event of every stream. `resumed`: the events since the id that the client named follow. Otherwise the client named
 * no id, or a `resync` comes next. `role` is the caller's role in `project`.
 */
export const helloEventSchema = z.object({
  id: z.string(),
  role: z.string(),
  resumed: z.boolean(),
  /** The account of the stream, so that a browser can check that it still shows the same one. Null for tokens. */
  user_id: idSchema.nullable(),
  /** The projects of the stream: `project`, and those of `also` in which the caller has a role. */
  projects: z.array(idSchema),
});
export type HelloEvent = z.infer<typeof helloEventSchema>;

/** The missed events are gone: the client has to read again everything that it shows. */
export const resyncEventSchema = z.object({ id: z.string() });

/**
 * Last event of a stream that the controller ends properly.
 * session  the session, the account or the token has ended, or the role in the project has changed: connect again with
 *          valid credentials, or sign in
 * closing  the controller stops: connect again
 */
export const endEventSchema = z.object({ reason: z.enum(['session', 'closing']) });

export const eventRoutes = {
  stream: defineRoute({
    id: 'streamEvents',
    method: 'GET',
    path: '/api/v3/events',
    summary: 'Stream the changes in a project as server-sent events: hello, change, resync, heartbeat, end',
    tag: 'Events',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    media: 'text/event-stream',
    query: z.strictObject({
      project: idSchema,
      /**
       * Other projects to follow on the same stream, for a browser with several tabs, which opens only few connections to one
       * host. Each needs a role of the caller in it; projects without one are left out.
       */
      also: repeatable(idSchema)
        .refine((ids) => ids.length <= EVENT_PROJECTS_MAX, `at most ${EVENT_PROJECTS_MAX} projects`)
        .optional(),
      /** Id of the last event that the client saw, if it cannot send the header Last-Event-ID. */
      last_event_id: z.string().max(128).optional(),
    }),
    status: 200,
    /** The `data` of the events named `change`. */
    response: changeEventSchema,
  }),
};
