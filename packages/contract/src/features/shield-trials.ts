import * as z from 'zod';
import { READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { idSchema, nameSchema } from '../schemas.ts';
import { givenPolicyFileSchema, policyWarningSchema } from './policies.ts';
import { explanationSchema, trialRequestSchema } from './shield-explanations.ts';
import { recordsSchema, replayReportSchema } from './shield-replays.ts';

/** A policy with its files beside a body or records. */
export const TRIAL_ROUTE_BODY_BYTES = 3 * DOCUMENT_BODY_BYTES;

/**
 * Which policies are asked; exactly one of
 * draft    a policy that is not stored, as text or as an object, with the files that it names
 * policy   a stored policy by its name, alone
 * service  all policies of a service, as its filters run them together
 *
 * What is wrong with a draft is told as for a write of it (`policy.invalid` with `problems`), except that its name is free.
 */
export const policySourceSchema = z.union(
  [
    z.strictObject({
      draft: z.strictObject({
        text: z.string().optional(),
        document: z.record(z.string(), z.unknown()).optional(),
        files: z.array(givenPolicyFileSchema).max(64).optional(),
        /** The stored policy that this is a draft of: its secret files are used where the draft names and does not bring them. */
        policy: nameSchema.optional(),
      }),
    }),
    z.strictObject({ policy: nameSchema }),
    z.strictObject({ service_id: idSchema }),
  ],
  'one of draft, policy and service_id',
);
export type PolicySource = z.infer<typeof policySourceSchema>;

const shared = {
  tag: 'Policies',
  method: 'POST',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  rate: 'trial',
  bodyLimit: TRIAL_ROUTE_BODY_BYTES,
  query: z.strictObject({ project: idSchema }),
  status: 200,
} as const;

export const shieldTrialRoutes = {
  try: defineRoute({
    ...shared,
    id: 'tryShieldRequest',
    path: '/api/v3/shield/try',
    summary: 'What policies would make of a request, and why',
    body: z.strictObject({ policies: policySourceSchema, request: trialRequestSchema }),
    response: explanationSchema.extend({
      /** What looks like a mistake in the policies but does not keep them from being run. */
      warnings: z.array(policyWarningSchema),
    }),
  }),
  replay: defineRoute({
    ...shared,
    id: 'replayShieldRequests',
    path: '/api/v3/shield/replay',
    summary: 'Which verdicts a policy would change over recorded requests',
    body: z.strictObject({
      candidate: policySourceSchema,
      /** Without it the recorded answers are what is compared with. */
      baseline: policySourceSchema.optional(),
      records: recordsSchema,
      trusted_hops: z.number().int().min(0).max(64).optional(),
    }),
    response: replayReportSchema,
  }),
};
