import * as z from 'zod';
import * as features from '../features.ts';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, repeatable } from '../schemas.ts';

/** Interval of the event `heartbeat`, which has no id. A stream that is silent for much longer is dead. */
export const EVENT_HEARTBEAT_MS = 15_000;

type Features = typeof features;
type Topic = {
  [K in keyof Features]: K extends `${string}Topics` ? Features[K][number & keyof Features[K]] : never;
}[keyof Features];

const TOPICS = Object.entries(features).flatMap(([name, topics]) =>
  name.endsWith('Topics') ? (topics as readonly Topic[]) : [],
);

/**
 * Says what changed, never how: clients read it again. If ids are missing, anything of the topic may have changed; one such
 * event replaces many when very much changes at once.
 */
const changeSchema = z.discriminatedUnion(
  'topic',
  TOPICS.map(({ schema }) => schema) as unknown as [Topic['schema'], ...Topic['schema'][]],
);
export const changeEventSchema = changeSchema.and(
  /** Only on a stream of several projects: the project of the event. Missing if the event has no project. */
  z.object({ project: idSchema.optional() }),
);
export type ChangeEvent = z.infer<typeof changeEventSchema>;
export type EventTopic = ChangeEvent['topic'];

/** The topics that everybody in a project gets, but for the statistics of clients. */
export const MEMBER_TOPICS: ReadonlySet<EventTopic> = new Set(
  TOPICS.flatMap(({ topic, audience }) => (audience === 'members' ? [topic] : [])),
);

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
    family: 'events',
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
