import { FILES } from '../nouns/sources.ts';
import { clients, services } from './lookups.ts';
import { parseAhead, parseLengthS, parseMoment } from './moment.ts';
import { LIMIT_DEFAULT, parseLimit } from './option-values.ts';

/* Arguments and options that several commands have. */

export const NAME = { flags: '<name>', to: 'name' } as const;
export const NEW_NAME = { flags: '--name <name>', help: 'the new name', to: 'name' } as const;
export const DESCRIPTION = { flags: '--description <text>', to: 'description' } as const;
export const QUERY = { flags: '-q, --query <text>', help: 'part of the name', to: 'q' } as const;
export const DRY_RUN = { flags: '--dry-run', help: 'check and change nothing', to: 'dry_run', value: 'true' } as const;
export const FILE = { flags: '<file>', source: FILES } as const;
export const SERVICE = { flags: '--service <name>', help: 'name or id', to: 'service_id', lookup: services } as const;
export const CLIENT = { flags: '--client <name>', help: 'name or id', to: 'client_id', lookup: clients } as const;

const before = (text: string) => parseMoment(text, Date.now());
export const SINCE = {
  flags: '--since <time>',
  help: 'such as 15m, 2h, 3d, or a time',
  to: 'from',
  read: before,
} as const;
export const UNTIL = {
  flags: '--until <time>',
  help: 'such as 15m, 2h, 3d, or a time',
  to: 'to',
  read: before,
} as const;
export const EXPIRES = {
  flags: '--expires <time>',
  help: 'after a time such as 90d, or at a time; never by default',
  to: 'expires_at',
  read: (text: string) => parseAhead(text, Date.now()),
} as const;

/** How long the secret before a new one stays valid. */
export const overlap = (what: string, usual: string) =>
  ({
    flags: '--overlap <time>',
    help: `how long ${what} stays valid, such as 10m or 1d`,
    to: 'overlap_s',
    read: parseLengthS,
    default: usual,
  }) as const;

/** For lists that grow without end. */
export const LIMIT = {
  flags: '--limit <number>',
  help: `the largest number of rows; ${LIMIT_DEFAULT} by default`,
  read: parseLimit,
} as const;
