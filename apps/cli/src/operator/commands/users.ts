import {
  ApiError,
  invitationRoutes,
  secondFactorRoutes,
  type UserDeletion,
  type UserView,
  userRoutes,
  userSessionRoutes,
} from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, change, get, idAs, list, send, type Verb } from '../nouns/verb.ts';
import { age, type Columns, printable } from '../output.ts';
import { describeParts } from './describe-parts.ts';
import { NEW_NAME } from './inputs.ts';
import { users } from './lookups.ts';
import { SESSION_COLUMNS } from './own-account.ts';

const REACH = 'project or all';
const USER = { flags: '<user>', help: 'name or id', to: 'user_id', lookup: users } as const;
const ROLE = { flags: '--role <role>', to: 'role', default: 'viewer' } as const;
const EMAIL = { flags: '--email <address>', help: 'an empty address removes it', to: 'email' } as const;
const PASSWORD = {
  flags: '--password-stdin',
  help: 'read the password from standard input',
  to: 'password',
  isStdin: true,
} as const;

const invitations = createLookup(invitationRoutes.list, {
  one: 'open invitation of',
  id: ({ id }) => id,
  name: ({ username }) => username,
});

const COLUMNS: Columns<UserView> = {
  name: 'username',
  role: describeRole,
  active: 'active',
  realm: 'realm',
  'e-mail': 'email',
  created: age('created_at'),
  id: 'id',
};

const account: Record<string, Verb> = {
  list: list(userRoutes.list, {
    help: 'members of the project',
    place: REACH,
    inputs: [
      { flags: '-q, --query <text>', help: 'part of the name or address', to: 'q' },
      { flags: '--role <role>', to: 'role' },
      { flags: '--realm <realm>', help: 'local, ldap, or oidc/ and the name of a provider', to: 'realm' },
    ],
    columns: COLUMNS,
  }),
  get: get(userRoutes.get, {
    place: REACH,
    inputs: [USER],
    text: (user) => {
      const state = user.active ? 'active' : 'switched off';
      return `${user.username}  ${describeRole(user)}  ${state}  ${user.email ?? '-'}  ${user.id}`;
    },
  }),
  create: act(
    {
      help: 'create a user who is a member of the project; without --password-stdin, a password is generated and shown once',
      route: userRoutes.create,
      inputs: [{ flags: '<name>' }, EMAIL, { ...ROLE, to: undefined }, PASSWORD],
    },
    async ({ scope: { connection, project }, values, request }) => {
      const body = {
        ...(request.body as object),
        username: String(values.name),
        memberships: [{ project, role: values.role as 'viewer' }],
      };
      const { body: user } = await connection
        .call(userRoutes.create, { query: { project }, body })
        .catch((error: unknown) => {
          throw explainTaken(error, body.username);
        });
      const password = user.initial_password;
      const note = `User ${user.username} created: ${user.id}`;
      return {
        json: user,
        note: password === undefined ? note : `${note}\nThe password, shown this once:`,
        text: password,
      };
    },
  ),
  change: change(userRoutes.patch, {
    help: 'change an account, or switch it off and on; a new password ends its sessions',
    place: REACH,
    inputs: [
      USER,
      { ...NEW_NAME, to: 'username' },
      EMAIL,
      PASSWORD,
      { flags: '--on', help: 'the user may sign in again', to: 'active', conflicts: 'off' },
      { flags: '--off', help: 'the user may not sign in', to: 'active', value: false },
    ],
    text: ({ username }) => `User ${username} changed.`,
  }),
  delete: act(
    {
      help: 'show what would be deleted with an account; with --plan, delete it if nothing else would be deleted',
      place: REACH,
      route: userRoutes.delete,
      inputs: [USER, { flags: '--plan <digest>', help: 'the digest that was shown', to: 'plan' }],
    },
    async ({ reach, request, id, name, values }) => {
      const params = { user_id: id('user') };
      const query = { project: reach.project };
      if (values.plan === undefined) {
        const { body: plan } = await reach.connection.call(userRoutes.planDeletion, { params, query });
        return { json: plan, text: describeDeletion(id('user'), plan, reach.project) };
      }
      await reach.connection.call(userRoutes.delete, { params, query: request.query });
      return { json: { deleted: id('user') }, text: `User ${name('user')} deleted.` };
    },
  ),
  unlock: send(userSessionRoutes.unlock, {
    help: 'clear the failed sign-ins of an account, so that it can sign in without waiting',
    place: REACH,
    inputs: [USER],
    json: idAs('unlocked', 'user'),
    text: (_, { name }) => `${name('user')} can sign in without waiting.`,
  }),
  'reset-factors': send(secondFactorRoutes.resetUser, {
    help: 'remove all second factors of a user who has lost them, and end the sessions; for owners of the installation',
    place: REACH,
    inputs: [USER],
    json: idAs('reset', 'user'),
    text: (_, { name }) => `${name('user')} has no second factor.`,
  }),
  sessions: list(userSessionRoutes.list, {
    help: 'where a user is signed in, newest first',
    place: REACH,
    inputs: [USER],
    columns: SESSION_COLUMNS,
  }),
  'sign-out': act(
    {
      help: 'end a session of a user, or all of them',
      place: REACH,
      inputs: [
        { ...USER, to: undefined },
        { flags: '[session]', help: 'id from the list; all sessions by default' },
      ],
    },
    async ({ reach: { connection, project }, id, name, values }) => {
      const session = values.session as string | undefined;
      const params = { user_id: id('user') };
      if (session === undefined) await connection.call(userSessionRoutes.endAll, { params, query: { project } });
      else
        await connection.call(userSessionRoutes.end, {
          params: { ...params, session_id: session },
          query: { project },
        });
      const text =
        session === undefined ? `${name('user')} is signed out everywhere.` : `Session ${session} has ended.`;
      return { json: { user: id('user'), ended: session ?? 'all' }, text };
    },
  ),
};

/** The controller decides whether it adds or invites the account. */
const invite = (help: string): Verb =>
  send(userRoutes.addMember, {
    help,
    inputs: [{ flags: '<name>', to: 'username' }, ROLE],
    text: (added, { values: { role } }) =>
      added.kind === 'member'
        ? `${added.username} is ${role}.`
        : `${added.username} is invited as ${role}, until ${added.expires_at}. An account of this name finds the invitation in its profile.`,
  });

const membership: Record<string, Verb> = {
  add: invite('make an account of the project a member again; any other account is invited'),
  role: send(userRoutes.setMembership, {
    help: 'give a member another role in the project',
    inputs: [USER, { flags: '<role>', to: 'role' }],
    text: ({ username }, { values: { role } }) => `${username} is ${role}.`,
  }),
  remove: send(userRoutes.endMembership, {
    help: 'remove a member from the project; the account stays',
    inputs: [USER],
    json: idAs('removed', 'user'),
    text: (_, { name }) => `${name('user')} is no longer a member.`,
  }),
  invite: invite('invite an account to the project; an account of the project itself is added at once'),
  invitations: list(invitationRoutes.list, {
    help: 'open invitations to the project',
    columns: {
      name: 'username',
      role: 'role',
      'invited by': 'invited_by',
      created: age('created_at'),
      expires: 'expires_at',
      id: 'id',
    },
  }),
  withdraw: send(invitationRoutes.withdraw, {
    help: 'withdraw an invitation to the project',
    inputs: [
      {
        flags: '<name>',
        help: 'the invited name, or the id of the invitation',
        to: 'invitation_id',
        lookup: invitations,
      },
    ],
    json: idAs('withdrawn', 'name'),
    text: (_, { name }) => `The invitation of ${name('name')} is withdrawn.`,
  }),
};

export const USERS: Noun = { help: 'users of the project', place: 'project', verbs: { ...account, ...membership } };

/** Prints a command with the id, because another account may have the name by the time it is run. */
function describeDeletion(id: string, { digest, items }: UserDeletion, project: string | undefined): string {
  const lines = describeParts(items, ({ fate }) => (fate === 'deleted' ? ' deleted' : ' no longer usable'));
  const what = lines.length === 0 ? ['Nothing else is deleted with the account.'] : ['With the account:', ...lines];
  const where = project === undefined ? '--all-projects' : `--project ${project}`;
  return [...what, `Delete it with: flotilla users delete ${id} ${where} --plan ${digest}`].map(printable).join('\n');
}

function describeRole({ is_owner: isOwner, memberships }: UserView): string {
  return isOwner ? 'owner of the installation' : memberships.map(({ role }) => role).join(', ');
}

/** Suggests an invitation: the existing account may belong to another project and be missing from the list of this one. */
function explainTaken(error: unknown, username: string): unknown {
  if (!(error instanceof ApiError) || error.body.code !== 'record.exists') return error;
  return new CliFailure(EXIT.conflict, error.message, [
    `  To invite the account to the project: flotilla users invite ${username}`,
  ]);
}
