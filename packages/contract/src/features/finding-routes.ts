import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { createFail } from '../errors/define.ts';
import { EDITORS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, LIST_LIMIT_MAX, listOf, listQuery } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import {
  findingBulkAnswerSchema,
  findingBulkSchema,
  findingChangeSchema,
  findingCommentSchema,
  findingDetailSchema,
  findingEntrySchema,
  findingListQuery,
  findingOwnerSchema,
  findingSchema,
  findingSummarySchema,
} from './findings.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';

export const FINDINGS_PATH = `${INVENTORY_PATH}/findings`;

const params = z.strictObject({ finding_id: idSchema.describe('Id of a finding') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = { tag: 'Findings', family: 'inventory', project: 'query' } as const;
const read = { ...shared, method: 'GET', access: { kind: 'roles', roles: READERS }, audit: null, status: 200 } as const;
const write = {
  ...shared,
  method: 'POST',
  access: { kind: 'roles', roles: EDITORS },
  query: writeQuery,
  status: 200,
} as const;

/**
 * Findings are sorted by `severity` (worst first) and `state_since` by default; also by `last_seen`, `first_seen`, `sightings` and `host`. Writes accept
 * `If-Match` with the revision.
 */
export const findingRoutes = {
  list: defineRoute({
    ...read,
    id: 'listFindings',
    path: FINDINGS_PATH,
    summary: 'List the findings of the project, the worst first',
    query: findingListQuery,
    response: listOf(findingSchema),
  }),
  summary: defineRoute({
    ...read,
    id: 'readFindingSummary',
    path: `${FINDINGS_PATH}/summary`,
    summary: 'Count the findings of the project by state and severity',
    query,
    response: findingSummarySchema,
  }),
  owners: defineRoute({
    ...read,
    id: 'listFindingOwners',
    path: `${FINDINGS_PATH}/owners`,
    summary: 'List the members of the project, who can be owners of findings',
    access: { kind: 'roles', roles: EDITORS },
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor, q: listQuery.q }),
    response: listOf(z.object({ id: idSchema, name: z.string() })),
  }),
  get: defineRoute({
    ...read,
    id: 'readFinding',
    path: `${FINDINGS_PATH}/:finding_id`,
    summary: 'Read a finding with its evidence and how to fix it',
    params,
    query,
    response: findingDetailSchema,
  }),
  history: defineRoute({
    ...read,
    id: 'listFindingHistory',
    path: `${FINDINGS_PATH}/:finding_id/history`,
    summary: 'List the changes of a finding and the comments on it, newest first',
    params,
    query: z.strictObject({
      project: idSchema,
      limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).optional(),
      cursor: listQuery.cursor,
    }),
    response: listOf(findingEntrySchema),
  }),
  setState: defineRoute({
    ...write,
    id: 'changeFindingState',
    path: `${FINDINGS_PATH}/:finding_id/state`,
    summary:
      'Acknowledge a finding, accept its risk until a date, say that it is fixed, or reopen it; only the traffic can show that it is fixed',
    audit: 'finding.decide',
    params,
    body: findingChangeSchema,
    response: findingDetailSchema,
  }),
  assign: defineRoute({
    ...write,
    id: 'assignFinding',
    path: `${FINDINGS_PATH}/:finding_id/owner`,
    summary: 'Give a finding an owner, who is a member of the project and may see its operation; null: nobody',
    audit: 'finding.assign',
    params,
    body: findingOwnerSchema,
    response: findingDetailSchema,
  }),
  comment: defineRoute({
    ...write,
    id: 'commentFinding',
    path: `${FINDINGS_PATH}/:finding_id/comments`,
    summary: 'Write a comment on a finding',
    audit: 'finding.comment',
    params,
    body: findingCommentSchema,
    response: findingEntrySchema,
  }),
  changeMany: defineRoute({
    ...write,
    id: 'changeFindings',
    path: `${FINDINGS_PATH}/change`,
    summary: 'Change the state or the owner of many findings, by ids or filters; a dry run counts them',
    audit: 'finding.change_many',
    rate: 'command',
    body: findingBulkSchema,
    response: findingBulkAnswerSchema,
  }),
};

export const FINDING_ERRORS = {
  'finding.closed': {
    status: 409,
    message:
      'The finding is {state}: people decide only about open findings. It opens again when the flag is seen again.',
  },
  'finding.until_range': {
    status: 422,
    message: 'The end {until} of the acceptance is not in the future and within {days} days. Choose another end.',
  },
  'finding.unknown_owner': {
    status: 422,
    message: 'The project has no active member {id}. Choose one of its members.',
  },
  'finding.owner_access': {
    status: 422,
    message:
      '{name} may not see the operation of the finding. Choose another owner, or give {name} access to its service.',
  },
  'finding.too_many_entries': {
    status: 409,
    message: 'The history of the finding has {max} entries, which is the limit for comments.',
  },
} as const;
export const failFinding = createFail(FINDING_ERRORS);

export const findingTopics = [
  /** Findings have changed. */
  defineTopic('finding', 'members', {}),
] as const;

export const findingAuditWords = defineAuditWords({
  actions: {
    'finding.decide': 'change the state of {finding}',
    'finding.assign': 'assign {finding}',
    'finding.comment': 'comment on {finding}',
    'finding.change_many': 'change findings',
  },
});
