import {
  apiTokenRoutes,
  discoveryTokenRoutes,
  type EnrolmentTokenView,
  enrolmentRoutes,
  zoneSecretRoutes,
} from '@flotilla/contract';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { change, get, idAs, list, send } from '../nouns/verb.ts';
import { age, type Columns } from '../output.ts';
import { EXPIRES, NAME, NEW_NAME, overlap } from './inputs.ts';
import { tokens } from './lookups.ts';

interface Rotated {
  readonly secrets: readonly { readonly expires_at: string | null }[];
}

/** The second secret in the list is the previous one. */
function describePrevious({ secrets }: Rotated): string {
  const end = secrets[1]?.expires_at;
  return `The old one ${end ? `ends ${end}` : 'has ended'}.`;
}

const TOKEN = { flags: '<token>', help: 'name or id', to: 'token_id', lookup: tokens } as const;
const FAMILY = {
  flags: '--family <name>',
  help: 'scope: part of the API that the token may call; all by default',
  to: 'families',
} as const;

export const TOKENS: Noun = {
  help: 'API tokens of the project, for automation',
  place: 'project',
  verbs: {
    list: list(apiTokenRoutes.list, {
      columns: {
        name: 'name',
        role: 'role',
        scopes: ({ families }) => families?.join(' ') ?? 'all',
        'begins with': 'prefix',
        'created by': 'created_by',
        creator: ({ maker }) => maker.replaceAll('_', ' '),
        expires: 'expires_at',
        'last used': age('last_used_at'),
        from: 'last_used_ip',
      },
    }),
    get: get(apiTokenRoutes.get, {
      help: 'one API token and which of its secrets are valid, without the secrets',
      inputs: [TOKEN],
    }),
    create: send(apiTokenRoutes.create, {
      help: 'create an API token; its value goes to standard output, once',
      inputs: [
        NAME,
        { flags: '--role <role>', help: 'never above your own', to: 'role', isRequired: true },
        FAMILY,
        EXPIRES,
      ],
      note: ({ name, expires_at: end }) => `Token ${name} created${end ? `, until ${end}` : ''}. It is shown once:`,
      text: ({ token }) => token,
    }),
    change: change(apiTokenRoutes.patch, {
      help: 'rename an API token, or restrict it: fewer scopes, an earlier end',
      inputs: [TOKEN, NEW_NAME, FAMILY, EXPIRES],
      text: ({ name }) => `Token ${name} changed.`,
    }),
    rotate: send(apiTokenRoutes.rotate, {
      help: 'give an API token a new secret, which goes to standard output, once',
      inputs: [TOKEN, overlap('the old secret', '1d')],
      note: (body) => `Token ${body.name} has a new secret, shown once. ${describePrevious(body)}`,
      text: ({ token }) => token,
    }),
    revoke: send(apiTokenRoutes.delete, {
      help: 'revoke an API token: the next request with it is refused',
      inputs: [TOKEN],
      json: idAs('revoked', 'token'),
      text: (_, { name }) => `Token ${name('token')} revoked.`,
    }),
  },
};

const ZONE = {
  flags: '<zone>',
  to: 'zone',
  lookup: createLookup(zoneSecretRoutes.list, { one: 'zone', name: ({ zone }) => zone }),
} as const;

/** Secrets with which the DNS servers of a zone sign their requests. */
export const ZONES: Noun = {
  help: 'secrets of the DNS zones of the project',
  place: 'project',
  verbs: {
    list: list(zoneSecretRoutes.list, {
      help: 'zones and which of their secrets are valid, without the secrets',
      columns: {
        zone: 'zone',
        key: ({ secrets }) => secrets[0]?.key_id,
        'begins with': ({ secrets }) => secrets[0]?.prefix,
        since: ({ secrets }) => secrets[0]?.created_at,
        'old one ends': ({ secrets }) => secrets[1]?.expires_at,
        'created by': 'created_by',
      },
    }),
    get: get(zoneSecretRoutes.get, {
      help: 'one zone and which of its secrets are valid, without the secrets',
      inputs: [ZONE],
    }),
    create: send(zoneSecretRoutes.create, {
      help: 'create a secret for a zone; key and secret go to standard output, once',
      inputs: [{ flags: '<zone>', help: 'a DNS name, such as lb.example.com', to: 'zone' }],
      note: ({ zone }) => `Key and secret of zone ${zone}, shown once:`,
      text: ({ key_id, secret }) => `${key_id} ${secret}`,
    }),
    rotate: send(zoneSecretRoutes.rotate, {
      help: 'give a zone a new secret; key and secret go to standard output, once',
      inputs: [ZONE, overlap('the old secret', '1d')],
      note: (body) => `New key and secret of zone ${body.zone}. ${describePrevious(body)}`,
      text: ({ key_id, secret }) => `${key_id} ${secret}`,
    }),
    end: send(zoneSecretRoutes.delete, {
      help: 'end all secrets of a zone: requests that are signed with them are refused',
      inputs: [ZONE],
      json: idAs('ended', 'zone'),
      text: (_, { name }) => `The secrets of zone ${name('zone')} have ended.`,
    }),
  },
};

export const DISCOVERY_TOKEN: Noun = {
  help: 'the token with which services report themselves to the project',
  place: 'project',
  verbs: {
    get: get(discoveryTokenRoutes.get, { help: 'which of its secrets are valid, without the secrets' }),
    generate: send(discoveryTokenRoutes.generate, {
      help: 'generate a new token, which goes to standard output, once',
      inputs: [overlap('the old one', '0s')],
      note: ({ secrets }) => {
        const end = secrets[1]?.expires_at;
        return `The discovery token, shown once.${end ? ` The old one ends ${end}.` : ''}`;
      },
      text: ({ token }) => token,
    }),
    end: send(discoveryTokenRoutes.delete, {
      help: 'end the token: requests with it are refused from now on',
      json: (_, { scope }) => ({ ended: scope.project }),
      text: () => 'The discovery token has ended.',
    }),
  },
};

const openTokens = createLookup(enrolmentRoutes.listTokens, {
  one: 'open enrolment token',
  id: ({ id }) => id,
  name: ({ note }) => note,
  query: { status: 'open' } as never,
  hint: ({ secrets }) => `${secrets[0]?.prefix}…`,
});
const OPEN_TOKEN = {
  flags: '<token>',
  help: 'note of an open one, or id',
  to: 'token_id',
  lookup: openTokens,
} as const;

const ENROLMENT_COLUMNS: Columns<EnrolmentTokenView> = {
  note: 'note',
  status: 'status',
  'begins with': ({ secrets }) => secrets[0]?.prefix,
  'old one ends': ({ secrets }) => secrets[1]?.expires_at,
  expires: 'expires_at',
  'created by': 'created_by',
  id: 'id',
};

/** Created with `flotilla clients token`. */
export const ENROLMENT: Noun = {
  help: 'tokens with which hosts join the project',
  place: 'project',
  verbs: {
    list: list(enrolmentRoutes.listTokens, {
      help: 'enrolment tokens and which of their secrets are valid, without the secrets',
      columns: ENROLMENT_COLUMNS,
    }),
    get: get(enrolmentRoutes.getToken, {
      help: 'one token, even if it was used or withdrawn, without its secrets',
      inputs: [OPEN_TOKEN],
    }),
    withdraw: send(enrolmentRoutes.deleteToken, {
      help: 'withdraw an open token; a client that it has already admitted stays',
      inputs: [OPEN_TOKEN],
      json: idAs('withdrawn', 'token'),
      text: (_, { name }) => `Enrolment token ${name('token')} is withdrawn.`,
    }),
    rotate: send(enrolmentRoutes.rotateToken, {
      help: 'give an open token a new secret; the command for the host goes to standard output, once',
      inputs: [OPEN_TOKEN, overlap('the old secret', '1h')],
      note: (body) => `Valid once, until ${body.expires_at}. ${describePrevious(body)}\nRun on the host:`,
      text: ({ command }) => command,
    }),
  },
};
