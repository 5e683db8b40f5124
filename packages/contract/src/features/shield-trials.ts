import * as z from 'zod';
import { READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { idSchema, nameSchema } from '../schemas.ts';
import { givenPolicyFileSchema, policyWarningSchema } from './policies.ts';
import { explanationSchema, trialRequestSchema } from './shield-explanations.ts';
import { recordsSchema, replayReportSchema } from './shield-replays.ts';

/** Room for policies with their files in addition to a body or records. */
export const TRIAL_ROUTE_BODY_BYTES = 3 * DOCUMENT_BODY_BYTES;

/**
 * The policies of a trial, exactly one of
 * draft    a policy that is not stored, as text or as an object, with its files
 * policy   a stored policy by its name, alone
 * service  all policies of a service, as its filters run them together
 *
 * Errors in a draft are reported as for a write (`policy.invalid` with `problems`), but its name is free.
 */
export const policySourceSchema = z.union(
  [
    z.strictObject({
      draft: z.strictObject({
        text: z.string().optional(),
        document: z.record(z.string(), z.unknown()).optional(),
        files: z.array(givenPolicyFileSchema).max(64).optional(),
        /** The stored policy that the draft belongs to: its secret files complete the draft. */
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
  family: 'policies',
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
    summary: 'Explain what policies would do with a request',
    body: z.strictObject({ policies: policySourceSchema, request: trialRequestSchema }),
    response: explanationSchema.extend({
      /** Probable mistakes in the policies that do not prevent the trial. */
      warnings: z.array(policyWarningSchema),
    }),
  }),
  replay: defineRoute({
    ...shared,
    id: 'replayShieldRequests',
    path: '/api/v3/shield/replay',
    summary: 'Replay recorded requests to see which verdicts a policy would change',
    body: z.strictObject({
      candidate: policySourceSchema,
      /** Default: the recorded answers. */
      baseline: policySourceSchema.optional(),
      records: recordsSchema,
      trusted_hops: z.number().int().min(0).max(64).optional(),
      /**
       * Judges the candidate as if every part had mode `block`. Placeholders of a draft get values that nobody has: requests without credentials are
       * blocked, and those with credentials are undetermined if the records do not contain them.
       */
      enforce: z.boolean().optional(),
    }),
    response: replayReportSchema,
  }),
};
