import * as z from 'zod';
import { idSchema } from '../schemas.ts';
import { DOCUMENT_STATES } from './document-states.ts';
import { documentResourceSchema, documentSummarySchema } from './documents.ts';

const count = z.number().int();

/** Domains that the facts of a document name; `domains_total` counts all. */
export const FACT_DOMAINS_MAX = 5;

/** Facts about the content of a document, for lists. A fact that the collection does not have is left out. */
export const documentFactsSchema = z.object({
  /** A listener listens here; a cluster or endpoints have their first endpoint here. `host:port`, or the path of a socket. */
  address: z.string().optional(),
  /** Further addresses of a listener. */
  more_addresses: count.optional(),
  /** How a cluster finds its endpoints: a discovery type such as `STRICT_DNS`, or the name of a cluster type. */
  discovery: z.string().optional(),
  endpoints: count.optional(),
  /** Whether some connections of a listener use TLS, or those to a cluster a transport socket. */
  tls: z.boolean().optional(),
  domains: z.array(z.string()).optional(),
  domains_total: count.optional(),
  routes: count.optional(),
  /** Kind of a secret, such as `tls_certificate`. */
  content: z.string().optional(),
});
export type DocumentFacts = z.infer<typeof documentFactsSchema>;

export const documentListItemSchema = documentSummarySchema.extend({
  facts: documentFactsSchema,
  state: z.enum(DOCUMENT_STATES),
  /** Documents and services that name it directly. */
  users: count,
  /** Services that reach it, in order of names; at most 5. */
  services: z.array(z.object({ id: idSchema, name: z.string() })),
  services_total: count,
  resource: documentResourceSchema.optional(),
});

export const documentLabelSchema = z.object({ key: z.string(), value: z.string(), documents: count });
