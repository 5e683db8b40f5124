import * as z from 'zod';
import { idSchema } from '../schemas.ts';
import { collectionSchema, proxyVersionSchema } from './documents.ts';

/** The kinds of configuration errors. */
export const CONFIG_ERROR_CODES = [
  'address.missing',
  'admin_port.taken',
  'bootstrap.too_large',
  'content.failed',
  'document.build_failed',
  'document.build_interrupted',
  'document.free_form',
  'document.host_access',
  'document.invalid',
  'document.more_problems',
  'envoy.refused',
  'filter.wiring',
  'node.failed',
  'policy.refused',
  'reference.invalid',
  'reference.missing',
  'reference.size',
  'shield.body_cap',
  'shield.more_problems',
  'shield.unguarded',
  'shield.upgrades',
  'shield.wiring',
] as const;
export type ConfigErrorCode = (typeof CONFIG_ERROR_CODES)[number];

/** The object that has to be changed to resolve an error. It need not be the resource that the error is about. */
export const fixAtSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('document'),
    collection: collectionSchema,
    name: z.string(),
    version: proxyVersionSchema,
  }),
  /** The addresses of one client in the document of the service. */
  z.object({ kind: z.literal('service_clients'), service_id: idSchema, client_id: idSchema.nullable() }),
  z.object({ kind: z.literal('service'), service_id: idSchema }),
  /** The policies of the service. */
  z.object({ kind: z.literal('policies'), names: z.array(z.string()) }),
  /** The host of the client and its agent. */
  z.object({ kind: z.literal('client'), client_id: idSchema }),
]);
export type FixAt = z.infer<typeof fixAtSchema>;
