import { groupRoutes } from '@flotilla/contract';
import { stringify } from 'yaml';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { act, change, idAs, list, send } from '../nouns/verb.ts';
import { DESCRIPTION, NAME, NEW_NAME } from './inputs.ts';
import { groups, users } from './lookups.ts';

const GROUP = { flags: '<group>', help: 'name or id', to: 'group_id', lookup: groups } as const;
const USER = { flags: '<user>', help: 'name or id', to: 'user_id', lookup: users } as const;

export const GROUPS: Noun = {
  help: 'groups of members of the project, for permissions',
  place: 'project',
  verbs: {
    list: list(groupRoutes.list, {
      columns: { name: 'name', members: 'member_count', description: 'description' },
    }),
    get: act(
      { help: 'one group, with its members', route: groupRoutes.get, inputs: [GROUP] },
      async ({ scope, id }) => {
        const params = { group_id: id('group') };
        const query = { project: scope.project };
        const { body: group } = await scope.connection.call(groupRoutes.get, { params, query });
        const record = { ...group, members: await readRows(scope, groupRoutes.listMembers, { params }) };
        return { json: record, text: stringify(record) };
      },
    ),
    create: send(groupRoutes.create, {
      inputs: [NAME, DESCRIPTION],
      text: ({ name }) => `Group ${name} created.`,
    }),
    change: change(groupRoutes.patch, {
      inputs: [GROUP, NEW_NAME, DESCRIPTION],
      text: ({ name }) => `Group ${name} changed.`,
    }),
    delete: send(groupRoutes.delete, {
      inputs: [GROUP],
      json: idAs('deleted', 'group'),
      text: (_, { name }) => `Group ${name('group')} deleted.`,
    }),
    add: send(groupRoutes.putMember, {
      help: 'add a member of the project to a group',
      inputs: [GROUP, USER],
      json: (_, { id }) => ({ group: id('group'), user: id('user') }),
      text: (_, { name }) => `${name('user')} is in ${name('group')}.`,
    }),
    remove: send(groupRoutes.deleteMember, {
      help: 'remove a member from a group',
      inputs: [GROUP, USER],
      json: (_, { id }) => ({ group: id('group'), user: id('user') }),
      text: (_, { name }) => `${name('user')} is not in ${name('group')}.`,
    }),
  },
};
