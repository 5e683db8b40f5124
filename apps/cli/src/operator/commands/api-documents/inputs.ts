import { apiDocumentRoutes } from '@flotilla/contract';
import { createLookup } from '../../nouns/lookup.ts';
import { FILES } from '../../nouns/sources.ts';

export const DOCUMENT = {
  flags: '<document>',
  help: 'name or id',
  to: 'document_id',
  lookup: createLookup(apiDocumentRoutes.list, {
    one: 'API document',
    name: ({ name }) => name,
    id: ({ id }) => id,
  }),
} as const;

export const DAYS = { flags: '--days <number>', help: 'days of traffic; 7 by default', to: 'days' } as const;
export const KIND = { flags: '--kind <kind>', help: 'all differences by default', to: 'kind' } as const;
export const OUT = { flags: '--out <file>', help: 'a new file instead of the terminal', source: FILES } as const;

/** The scope; left out, it comes from the servers of the document. */
export const SCOPE = [
  { flags: '--listener <name>', help: 'exact name of a listener', to: 'listener_name' },
  {
    flags: '--host <host>',
    help: 'with its subdomains; "*.example.com": subdomains alone; "api.": names that begin so',
    to: 'host_prefix',
  },
  { flags: '--path <path>', help: 'with everything below it', to: 'path_prefix' },
] as const;
