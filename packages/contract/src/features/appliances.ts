import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { createFail } from '../errors/define.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { bundleIdSchema } from './appliance-bodies.ts';

/** Downloads of support bundles at the same time, per controller. */
export const BUNDLE_DOWNLOADS_MAX = 8;

export const applianceRoutes = {
  downloadBundle: defineRoute({
    id: 'downloadSupportBundle',
    method: 'GET',
    path: '/api/op/clients/:client_id/support-bundles/:artifact_id/file',
    summary:
      'Download a support bundle of a client as a tar.gz file; the header Range (bytes=N-) continues an interrupted download',
    tag: 'Clients',
    family: 'commands',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
    rate: 'command',
    audit: 'support_bundle.download',
    media: 'application/octet-stream',
    params: z.strictObject({ client_id: idSchema, artifact_id: bundleIdSchema }),
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.unknown(),
  }),
};

export const BUNDLE_ERRORS = {
  'support_bundle.unknown': {
    status: 404,
    message:
      'Client {name} has no support bundle {id}. It may have been deleted; list its bundles or create another one.',
  },
  'support_bundle.not_ready': {
    status: 409,
    message: 'The support bundle cannot be downloaded: {reason}',
  },
  'support_bundle.expired': { status: 410, message: 'The support bundle cannot be downloaded: {reason}' },
  'support_bundle.range': {
    status: 416,
    message: 'The download cannot continue at byte {offset}: {reason} Start it again.',
  },
  'support_bundle.unavailable': {
    status: 503,
    message: 'Client {name} does not send the support bundle now: {reason}',
  },
  'support_bundle.busy': {
    status: 429,
    message: 'The controller sends {limit} support bundles already. Try again when one of them is done.',
  },
} as const;
export const failBundle = createFail(BUNDLE_ERRORS);

export const appliancesAuditWords = defineAuditWords({
  actions: { 'support_bundle.download': 'download a support bundle of {client}' },
});
