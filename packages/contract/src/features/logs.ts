import { CLIENT_LOG_TYPES, LOG_LEVELS, LOG_LIMITS, SERVICE_LOG_TYPES } from '@flotilla/proto/commands';
import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, repeatable, timeSchema } from '../schemas.ts';
import { logLevelSchema, logQueryShape } from './command-bodies.ts';
import { commandErrorSchema } from './commands.ts';

/** Open log streams per user or API token, and per controller. */
export const LOG_STREAMS_PER_ACTOR = 5;
export const LOG_STREAMS_MAX = 200;
/** A stream ends after this time. The reader continues with the id of the last event. */
export const LOG_STREAM_MAX_MS = 30 * 60_000;

export const LOG_COMMANDS = ['SERVICE', 'CLIENT_LOGS', 'ROUTING_LOGS'] as const;

export const logEntrySchema = z.object({
  timestamp: timeSchema.nullable(),
  level: z.enum(LOG_LEVELS),
  source: z.string(),
  component: z.string(),
  message: z.string(),
  file: z.string(),
  truncated: z.literal(true).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});

/** The result of the commands that read logs, and the `data` of the events named `log`. The id of the event is `newer_cursor`. */
export const logPageSchema = z.object({
  logs: z.array(logEntrySchema),
  older_cursor: z.string().nullable(),
  newer_cursor: z.string(),
  complete: z.boolean(),
  gap: z.boolean(),
  notes: z.array(z.string()),
});

/** The `data` of the events named `problem`. The stream tries again, unless `end` follows. */
export const logProblemSchema = commandErrorSchema;

/**
 * The `data` of the last event, named `end`.
 * done     the client refuses to read the log
 * time     the stream was open for as long as one may be: continue with the last id
 * session  the session, the account or the role has changed: connect again with valid credentials
 * closing  the controller stops: continue with the last id
 */
export const logEndSchema = z.object({ reason: z.enum(['done', 'time', 'session', 'closing']) });

export const logRoutes = {
  stream: defineRoute({
    id: 'streamLogs',
    method: 'GET',
    path: '/api/op/clients/:client_id/logs/events',
    summary: 'Follow a log of a client as server-sent events: log, problem, heartbeat, end',
    tag: 'Commands',
    family: 'commands',
    // The log decides who may read it, as for the commands.
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
    rate: 'command',
    audit: null,
    media: 'text/event-stream',
    params: z.strictObject({ client_id: idSchema }),
    query: z.strictObject({
      project: idSchema,
      type: z.enum(LOG_COMMANDS),
      /** For SERVICE. */
      service_id: idSchema.optional(),
      log_type: z.enum([...SERVICE_LOG_TYPES, ...CLIENT_LOG_TYPES]).optional(),
      /** The newest lines with which a stream without a cursor begins. */
      count: z.coerce.number().int().min(1).max(1000).optional(),
      since: timeSchema.optional(),
      level: logQueryShape.level,
      levels: repeatable(logLevelSchema).optional(),
      components: repeatable(z.string().min(1).max(LOG_LIMITS.componentMax)).optional(),
      search: logQueryShape.search,
      /** Id of the last event that the reader saw, if it cannot send the header Last-Event-ID. Also a `newer_cursor`. */
      last_event_id: logQueryShape.cursor,
    }),
    status: 200,
    response: logPageSchema,
  }),
};
