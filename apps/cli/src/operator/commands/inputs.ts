import { FILES } from '../nouns/sources.ts';
import { clients, services } from './lookups.ts';
import { LIMIT_DEFAULT, parseLimit } from './option-values.ts';
import { parseDurationS, parseFuture, parsePast } from './time-argument.ts';

/* Arguments and options of several commands. */

export const NAME = { flags: '<name>', to: 'name' } as const;
export const NEW_NAME = { flags: '--name <name>', help: 'the new name', to: 'name' } as const;
export const DESCRIPTION = { flags: '--description <text>', to: 'description' } as const;
export const QUERY = { flags: '-q, --query <text>', help: 'part of the name', to: 'q' } as const;
export const DRY_RUN = { flags: '--dry-run', help: 'check and change nothing', to: 'dry_run', value: 'true' } as const;
export const FILE = { flags: '<file>', source: FILES } as const;
export const SERVICE = { flags: '--service <name>', help: 'name or id', to: 'service_id', lookup: services } as const;
export const CLIENT = { flags: '--client <name>', help: 'name or id', to: 'client_id', lookup: clients } as const;

const readPast = (text: string) => parsePast(text, Date.now());
export const SINCE = {
  flags: '--since <time>',
  help: 'such as 15m, 2h, 3d, or a time',
  to: 'from',
  read: readPast,
} as const;
export const UNTIL = {
  flags: '--until <time>',
  help: 'such as 15m, 2h, 3d, or a time',
  to: 'to',
  read: readPast,
} as const;
export const EXPIRES = {
  flags: '--expires <time>',
  help: 'a duration such as 90d, or a time; never by default',
  to: 'expires_at',
  read: (text: string) => parseFuture(text, Date.now()),
} as const;

/** How long the previous secret stays valid after a new one is created. */
export const overlap = (secret: string, defaultValue: string) =>
  ({
    flags: '--overlap <time>',
    help: `how long ${secret} stays valid, such as 10m or 1d`,
    to: 'overlap_s',
    read: parseDurationS,
    default: defaultValue,
  }) as const;

/** For lists without an upper bound, such as events. */
export const LIMIT = {
  flags: '--limit <number>',
  help: `maximum number of rows; ${LIMIT_DEFAULT} by default`,
  read: parseLimit,
} as const;
