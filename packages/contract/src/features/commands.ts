import { type CommandSpec, PUBLIC_COMMAND_SPECS } from '@flotilla/proto/commands';
import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { READERS } from '../roles.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { COMMAND_BODIES } from './command-bodies.ts';
import { addressSchema } from './services.ts';

export const COMMAND_TARGETS_MAX = 1000;
export const COMMAND_WAIT_MAX_MS = 180_000;
/** Retention after the end of a command: for the kind `query`, and for the others. */
export const QUESTIONS_KEPT_H = 1;
export const COMMANDS_KEPT_DAYS = 90;

/**
 * done      it happened, as reported by the client
 * failed    it did not happen; `error` says why
 * refused   it was not tried: a newer command or the client forbade it
 * pending   the client is not connected; it converges when it is back
 * running   not ended yet: ask for GET /api/op/commands/:command_id
 * unknown   the client did not report in time; it may have happened
 */
export const COMMAND_OUTCOMES = ['done', 'failed', 'refused', 'pending', 'running', 'unknown'] as const;
export const commandOutcomeSchema = z.enum(COMMAND_OUTCOMES);
export type CommandOutcome = z.infer<typeof commandOutcomeSchema>;

/** See `kind` in the table of commands. Queries are kept for an hour. */
export const COMMAND_KINDS = ['query', 'action', 'desired'] as const satisfies readonly CommandSpec['kind'][];
export const commandKindSchema = z.enum(COMMAND_KINDS);
export type CommandKind = z.infer<typeof commandKindSchema>;

export const commandTargetSchema = z.strictObject({
  client_id: z.string().min(1).max(128),
  /** For DEPLOY: downstream addresses of the service on this client. */
  addresses: z.array(addressSchema).max(64).optional(),
  downstream_address: addressSchema.optional(),
});

export const commandBodySchema = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'For example DEPLOY or SERVICE; docs/guides/commands.md lists all.' }),
  sub_type: z
    .string()
    .max(64)
    .default('')
    .meta({ description: 'The exact operation of a type that has several, such as SUB_RESTART of SERVICE.' }),
  /** Empty: all clients of the service that the command names. */
  clients: z.array(commandTargetSchema).max(COMMAND_TARGETS_MAX).default([]),
  /** Its schema depends on the command: see `COMMAND_BODIES`. */
  command: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({
      description: 'Depends on type and sub_type: docs/guides/commands.md lists each with an example.',
      anyOf: [...new Set(PUBLIC_COMMAND_SPECS.map(({ name }) => COMMAND_BODIES[name]))],
    }),
});
export type CommandBody = z.infer<typeof commandBodySchema>;

export const commandErrorSchema = z.object({ code: z.string(), message: z.string() });

export const commandResultSchema = z.object({
  client_id: z.string(),
  client_name: z.string().nullable(),
  /** Null: nothing was recorded, for example because the client does not exist. */
  command_id: idSchema.nullable(),
  service_id: idSchema.optional(),
  service_name: z.string().optional(),
  outcome: commandOutcomeSchema,
  error: commandErrorSchema.optional(),
  duration_ms: z.number().int(),
  result: z.unknown().optional(),
});
export type CommandResultRecord = z.infer<typeof commandResultSchema>;

export const commandSchema = z.object({
  id: idSchema,
  project: idSchema,
  client_id: idSchema,
  client_name: z.string(),
  service_id: idSchema.nullable(),
  type: z.string(),
  sub_type: z.string(),
  operation: z.string(),
  kind: commandKindSchema,
  outcome: commandOutcomeSchema,
  /** The current step, in the agent's words. */
  step: z.string().nullable(),
  error: commandErrorSchema.optional(),
  result: z.unknown().optional(),
  created_by: z.string(),
  created_at: timeSchema,
  sent_at: timeSchema.nullable(),
  deadline_at: timeSchema.nullable(),
  finished_at: timeSchema.nullable(),
  duration_ms: z.number().int(),
});

/** One line of the history. The result is read by the id. */
export const commandListItemSchema = commandSchema.omit({ result: true });
export type CommandListItem = z.infer<typeof commandListItemSchema>;

export const commandRoutes = {
  list: defineRoute({
    id: 'listCommands',
    method: 'GET',
    path: '/api/op/commands',
    summary: 'List the commands of a project, newest first',
    tag: 'Commands',
    family: 'commands',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({
      project: idSchema,
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      sort: listQuery.sort,
      client_id: repeatable(idSchema).optional(),
      service_id: repeatable(idSchema).optional(),
      type: repeatable(z.string().min(1).max(64)).optional(),
      outcome: repeatable(commandOutcomeSchema).optional(),
      kind: repeatable(commandKindSchema).optional(),
    }),
    status: 200,
    response: listOf(commandListItemSchema),
  }),
  dispatch: defineRoute({
    id: 'dispatchCommand',
    method: 'POST',
    path: '/api/op/clients',
    summary: 'Send a command to clients; the answer has an outcome per client',
    tag: 'Commands',
    family: 'commands',
    // The command decides who may send it: see `mayCommand`.
    access: { kind: 'authenticated' },
    project: 'none',
    rate: 'command',
    audit: 'command.dispatch',
    query: z.strictObject({
      /** Default: the project of the clients, or of the service that the command names. */
      project: idSchema.optional(),
      version: z.string().max(32).optional(),
      /** How long to wait for the outcomes; the default depends on the type. */
      wait_ms: z.coerce.number().int().min(0).max(COMMAND_WAIT_MAX_MS).optional(),
      ...dryRunQuery,
    }),
    body: commandBodySchema,
    bodyLimit: LIST_BODY_BYTES,
    status: 200,
    response: z.object({ results: z.array(commandResultSchema) }),
  }),
  read: defineRoute({
    id: 'readCommand',
    method: 'GET',
    path: '/api/op/commands/:command_id',
    summary: 'Read a command with its outcome',
    tag: 'Commands',
    family: 'commands',
    access: { kind: 'roles', roles: ['owner', 'admin', 'editor', 'viewer'] },
    project: 'target',
    audit: null,
    params: z.strictObject({ command_id: idSchema }),
    query: z.strictObject({
      project: idSchema.optional(),
      wait_ms: z.coerce.number().int().min(0).max(COMMAND_WAIT_MAX_MS).optional(),
    }),
    status: 200,
    response: commandSchema,
  }),
};

export const commandsTopics = [
  /** Commands that only query cause no events. */
  defineTopic('command', 'members', {
    command_id: idSchema.optional(),
    client_id: idSchema.optional(),
    service_id: idSchema.nullable().optional(),
    outcome: commandOutcomeSchema.optional(),
  }),
] as const;

export const commandsAuditWords = defineAuditWords({
  actions: {
    'command.dispatch': 'send a command to {client}',
    'command.end': 'finish command',
  },
});
