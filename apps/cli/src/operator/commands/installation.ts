import {
  type CallOutput,
  type ControllerView,
  controllerRoutes,
  lockoutRoutes,
  secondFactorRoutes,
  signingKeyRoutes,
  storageRoutes,
} from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup, type Lookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { act, get, idAs, list, send, toTable, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { isId } from '../project.ts';
import type { Reach } from './scope-options.ts';

type Connected = CallOutput<typeof controllerRoutes.data>['clients'][number];

const rows = ({ instances }: CallOutput<typeof controllerRoutes.instances>): readonly ControllerView[] => instances;

const listControllers = (reach: Reach): Promise<readonly ControllerView[]> =>
  readRows(reach, controllerRoutes.instances, { rows });

/** Finds a controller to remove. A host name means the controller of that host that is gone, because others cannot be removed. */
const goneControllers: Lookup = {
  find: async (reach, text) => ({ id: isId(text) ? text : await findGone(reach, text), name: text }),
  source: createLookup(controllerRoutes.instances, { one: 'controller', name: ({ id }: ControllerView) => id, rows })
    .source,
};

export const CONTROLLERS: Noun = {
  help: 'the controllers of the installation',
  place: 'controller',
  verbs: {
    list: list(controllerRoutes.instances, {
      help: 'the controllers, which of them is the leader, and how busy each is',
      rows,
      columns: {
        host: 'hostname',
        state: ({ live }: ControllerView) => (live ? 'live' : 'gone'),
        leader: 'is_leader',
        address: 'rest_addr',
        roles: ({ roles }) => roles.toSorted().join(' '),
        agents: ({ load }) => load?.agents,
        jobs: ({ load }) => load?.jobs,
        started: age('started_at'),
        'last seen': age('last_seen'),
        version: 'version',
        id: 'id',
      },
    }),
    clients: act(
      { help: 'which clients are connected now, and to which controller', place: 'project or all' },
      async ({ reach }) => {
        const { body } = await reach.connection.call(controllerRoutes.data, { query: { project: reach.project } });
        const hosts = new Map((await listControllers(reach)).map(({ id, hostname }) => [id, hostname]));
        const { note, text } = toTable<Connected>(body.clients, {
          client: 'name',
          controller: ({ controller_id: id }) => hosts.get(id) ?? id,
          since: age('connected_at'),
          'controller id': 'controller_id',
        });
        const more = body.clients_total - body.clients.length;
        return { json: body, text, note: more > 0 ? `${more} more are connected.` : note };
      },
    ),
    remove: send(controllerRoutes.remove, {
      help: 'remove a controller that is gone; if it was only suspended, it ends when it resumes',
      inputs: [
        {
          flags: '<controller>',
          help: 'id, or the host name if only one controller of the host is gone',
          to: 'controller_id',
          lookup: goneControllers,
        },
      ],
      json: idAs('removed', 'controller'),
      text: (_, { name }) => `Controller ${name('controller')} removed.`,
    }),
  },
};

async function findGone(reach: Reach, hostname: string): Promise<string> {
  const gone = (await listControllers(reach)).filter((one) => one.hostname === hostname && !one.live);
  const [only] = gone;
  if (only && gone.length === 1) return only.id;
  const reason = only
    ? `${gone.length} controllers of that host are gone. Use the id of one`
    : 'no controller of that host is gone';
  throw new CliFailure(EXIT.failed, `${hostname}: ${reason}. See: flotilla controllers list`);
}

export const SIGNING_KEYS: Noun = {
  help: 'keys that access tokens are signed with: list, rotate',
  place: 'controller',
  verbs: {
    list: list(signingKeyRoutes.list, {
      help: 'the keys by name: which one signs, and how long the others stay valid',
      columns: { key: 'kid', signs: 'signs', created: 'created_at', 'valid until': 'verifies_until' },
    }),
    rotate: send(signingKeyRoutes.rotate, {
      help: 'sign with a new key from now on; tokens that were signed before stay valid until they expire',
      text: ({ kid }) => `Access tokens are signed with ${kid} from now on.`,
    }),
  },
};

export const SIGN_IN_BLOCKS: Noun = {
  help: 'lockouts of addresses from which too many accounts were tried: list, end',
  place: 'controller',
  verbs: {
    list: list(lockoutRoutes.list, {
      help: 'the addresses, and how long each is locked out',
      columns: { address: 'address', failed: 'failures', last: age('last_at'), 'locked until': 'waits_until' },
    }),
    end: send(lockoutRoutes.end, {
      help: 'clear the failed sign-ins from an address, or from the network of an IPv6 address',
      inputs: [
        {
          flags: '<address>',
          help: 'an address from the list, or another one of its network',
          to: 'address',
          lookup: createLookup(lockoutRoutes.list, { one: 'address', name: ({ address }) => address }),
        },
      ],
      json: idAs('ended', 'address'),
      text: (_, { name }) => `Sign-ins from ${name('address')} are possible again.`,
    }),
  },
};

export const STORAGE: Verb = get(storageRoutes.stats, {
  help: 'the size of the database, and when the disk will be full; for owners of the installation',
  place: 'controller',
  text: ({ database, disk, growth }) => {
    const days = growth?.days_until_full ?? null;
    return [
      `database  ${toMiB(database.total_bytes)}`,
      ...(disk ? [`free      ${toMiB(disk.free_bytes)} of ${toMiB(disk.total_bytes)}`] : []),
      `growth    ${growth ? `${toMiB(growth.per_day_bytes)} a day` : 'unknown until a day has passed'}`,
      ...(days === null ? [] : [`full in   ${Math.floor(days)} days`]),
    ].join('\n');
  },
});

function toMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export const SECOND_FACTOR: Verb = act(
  {
    help: 'whether members of the project, or everyone with --installation, must sign in with a second factor',
    place: 'project or installation',
    inputs: [
      {
        flags: '[mode]',
        help: 'the new mode; if left out, prints the current mode',
        choices: ['required', 'optional'],
      },
    ],
  },
  async ({ reach: { connection, project } }, { mode }: { mode?: string }) => {
    const query = { project };
    const { body } =
      mode === undefined
        ? await connection.call(secondFactorRoutes.getEnforcement, { query })
        : await connection.call(secondFactorRoutes.setEnforcement, {
            query,
            body: { otp_enforced: mode === 'required' },
          });
    return { json: body, text: body.otp_enforced ? 'required' : 'optional' };
  },
);
