import { type CallOutput, capabilityRoutes, invitationRoutes, profileRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, idAs, list, send, type Verb } from '../nouns/verb.ts';
import { age, type Columns } from '../output.ts';

type Session = CallOutput<typeof profileRoutes.listSessions>['items'][number];

export const SESSION_COLUMNS: Columns<Session> = {
  device: 'device',
  'this one': 'current',
  from: (row) => row.last_ip ?? row.ip,
  started: age('created_at'),
  used: age('last_used_at'),
  ends: 'expires_at',
  id: 'id',
};

const sessions = createLookup(profileRoutes.listSessions, { one: 'session', name: ({ id }) => id });

export const OWN_SESSIONS: Noun = {
  help: 'your sessions: list, end',
  place: 'controller',
  verbs: {
    list: list(profileRoutes.listSessions, { help: 'your live sessions, newest first', columns: SESSION_COLUMNS }),
    end: act(
      {
        help: 'end one of your sessions, or all but this one',
        inputs: [
          { flags: '[session]', help: 'id from the list', lookup: sessions },
          { flags: '--others', help: 'all but this one' },
        ],
      },
      async ({ reach: { connection } }, { session, others }: { session?: string; others?: boolean }) => {
        if ((session === undefined) !== (others === true))
          throw new CliFailure(EXIT.usage, 'Give the id of a session, or --others.');
        if (session === undefined) await connection.call(profileRoutes.endOtherSessions, { query: {} });
        else await connection.call(profileRoutes.endSession, { params: { session_id: session }, query: {} });
        const text = session === undefined ? 'All other sessions have ended.' : `Session ${session} has ended.`;
        return { json: { ended: session ?? 'others' }, text };
      },
    ),
  },
};

const INVITATION = {
  flags: '<project>',
  help: 'name of the project, or the id of the invitation',
  to: 'invitation_id',
  lookup: createLookup(invitationRoutes.listOwn, {
    one: 'open invitation to',
    id: ({ id }) => id,
    name: ({ project_name }) => project_name,
  }),
} as const;

export const OWN_INVITATIONS: Noun = {
  help: 'projects that you are invited to: list, accept, decline',
  place: 'controller',
  verbs: {
    list: list(invitationRoutes.listOwn, {
      help: 'your open invitations',
      columns: {
        project: 'project_name',
        role: 'role',
        'invited by': 'invited_by',
        created: age('created_at'),
        expires: 'expires_at',
        id: 'id',
      },
    }),
    accept: send(invitationRoutes.accept, {
      help: 'join the project',
      inputs: [INVITATION],
      text: ({ role, project_name }) => `You are ${role} of ${project_name}.`,
    }),
    decline: send(invitationRoutes.decline, {
      help: 'decline the invitation; the project is not notified',
      inputs: [INVITATION],
      json: idAs('declined', 'project'),
      text: () => 'The invitation is declined.',
    }),
  },
};

const operations = createLookup(capabilityRoutes.get, {
  one: 'operation',
  name: (route: string) => route,
  rows: ({ routes }) => routes,
});

/** Shows which operations of the API the caller may use, by their names in the API. */
export const MAY: Verb = act(
  {
    help: 'what you may do in the project; with an operation: whether you may',
    inputs: [{ flags: '[operation]', help: 'its name in the API, such as createPolicy', lookup: operations }],
  },
  async ({ scope: { connection, project } }, { operation }: { operation?: string }) => {
    const { body } = await connection.call(capabilityRoutes.get, { query: { project } });
    const { role, resource_access: access, routes } = body;
    if (operation === undefined) {
      const only = access === 'listed' ? ', on the resources granted to you' : '';
      return { json: body, text: [`As ${role ?? 'owner of the installation'}${only}:`, ...routes].join('\n') };
    }
    if (!routes.includes(operation))
      throw new CliFailure(EXIT.forbidden, `You may not use ${operation}. See what you may do with: flotilla may`);
    return { json: { operation, may: true }, text: `You may use ${operation}` };
  },
);
