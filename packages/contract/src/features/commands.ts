import * as z from 'zod';
import { READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { addressSchema } from './services.ts';

export const COMMAND_TARGETS_MAX = 1000;
export const COMMAND_WAIT_MAX_MS = 180_000;
/** After they ended, by kind: `query`, and the others. */
export const QUESTIONS_KEPT_H = 1;
export const COMMANDS_KEPT_DAYS = 90;

/**
 * done      it happened, the client says so
 * failed    it did not happen; `error` says why
 * refused   it was not tried: forbidden by a newer command or by the client
 * pending   the client is not connected; it converges when it is back
 * running   not ended yet: ask for GET /api/op/commands/:command_id
 * unknown   the client did not say in time; it may have happened
 */
export const COMMAND_OUTCOMES = ['done', 'failed', 'refused', 'pending', 'running', 'unknown'] as const;
export const commandOutcomeSchema = z.enum(COMMAND_OUTCOMES);
export type CommandOutcome = z.infer<typeof commandOutcomeSchema>;

/**
 * query    asks the client, changes nothing; kept for an hour
 * action   happens once, now
 * desired  changes what the client should run
 */
export const COMMAND_KINDS = ['query', 'action', 'desired'] as const;
export const commandKindSchema = z.enum(COMMAND_KINDS);
export type CommandKind = z.infer<typeof commandKindSchema>;

export const commandTargetSchema = z.strictObject({
  client_id: z.string().min(1).max(128),
  /** DEPLOY: downstream addresses of the service on this client. */
  addresses: z.array(addressSchema).max(64).optional(),
  downstream_address: addressSchema.optional(),
});

export const commandBodySchema = z.strictObject({
  type: z.string().min(1).max(64),
  sub_type: z.string().max(64).default(''),
  /** None: all clients of the service that the command names. */
  clients: z.array(commandTargetSchema).max(COMMAND_TARGETS_MAX).default([]),
  /** Depends on the type. */
  command: z.record(z.string(), z.unknown()).default({}),
});
export type CommandBody = z.infer<typeof commandBodySchema>;

export const commandErrorSchema = z.object({ code: z.string(), message: z.string() });

export const commandResultSchema = z.object({
  client_id: z.string(),
  client_name: z.string().nullable(),
  /** Null: there was nothing to record, e.g. no such client. */
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
  /** What the client is doing, in its own words. */
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

/** One line of the history: what a command did is read by its id. */
export const commandListItemSchema = commandSchema.omit({ result: true });
export type CommandListItem = z.infer<typeof commandListItemSchema>;

export const commandRoutes = {
  list: defineRoute({
    id: 'listCommands',
    method: 'GET',
    path: '/api/op/commands',
    summary: 'Commands of a project, newest first',
    tag: 'Commands',
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
    summary: 'Send a command to clients; every client answers for itself',
    tag: 'Commands',
    // Who may do what follows from type, sub_type and operation: see the table in features/commands.
    access: { kind: 'authenticated' },
    project: 'none',
    rate: 'command',
    audit: 'command.dispatch',
    query: z.strictObject({
      /** Else the project of the clients, or of the service that the command names. */
      project: idSchema.optional(),
      version: z.string().max(32).optional(),
      /** How long to wait for the outcomes; the default depends on the type. */
      wait_ms: z.coerce.number().int().min(0).max(COMMAND_WAIT_MAX_MS).optional(),
      ...dryRunQuery,
    }),
    body: commandBodySchema,
    // As many clients, with as many addresses, as the schema allows.
    bodyLimit: DOCUMENT_BODY_BYTES,
    status: 200,
    response: z.object({ results: z.array(commandResultSchema) }),
  }),
  read: defineRoute({
    id: 'readCommand',
    method: 'GET',
    path: '/api/op/commands/:command_id',
    summary: 'What became of a command',
    tag: 'Commands',
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
