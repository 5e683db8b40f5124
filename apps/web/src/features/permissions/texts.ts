export const texts = {
  title: 'Permissions',
  lead: 'What editors and viewers can access in this project. Owners and admins can access everything. A permission never allows more than the role.',
  tabs: 'Resource types',
  kinds: { document: 'Documents', policy: 'Policies', service: 'Services', client: 'Clients' },
  access: {
    title: 'Access',
    what: 'The access of members',
    open: {
      title: 'Access: all members',
      text: 'The permissions below are kept. They take effect when access is restricted.',
      action: 'Restrict access',
    },
    listed: {
      title: 'Access: restricted',
      text: 'Editors and viewers see only what they have permissions for. Everything else is hidden from their lists, searches, counts and messages. Members can change what they create.',
      action: 'Open to all members',
    },
    confirm: {
      listed: {
        title: 'Restrict access?',
        text: 'From their next request on, editors and viewers see only what they or their groups have permissions for. The same applies to their API tokens.',
      },
      open: {
        title: 'Open the project to all members?',
        text: 'From their next request on, editors and viewers can access everything that their role allows.',
      },
    },
    done: { listed: 'Access is restricted.', open: 'All members have access.' },
  },
  subjects: {
    createGroup: 'Create a group',
    label: 'Members and groups',
    hint: 'Each has one column. Type a part of a name to find others.',
    notFound: 'No other group or member with limited access matches',
    group: (name: string) => `Group ${name}`,
    none: 'Nobody to give permissions to',
    noneHint: 'Owners and admins can access everything. Add an editor or viewer to the project, or create a group.',
  },
  everything: {
    title: 'All of this type',
    text: 'Applies to all, including new ones. Individual permissions add to it.',
  },
  levels: { none: 'None', view: 'View', use: 'Use', change: 'Change' },
  cell: (subject: string, thing: string) => `Permission of ${subject} for ${thing}`,
  all: (kind: string) => `all ${kind.toLowerCase()}`,
  name: 'Name',
  place: 'Where',
  searches: 'Name',
  empty: { title: 'Nothing of this type yet', text: 'New items appear here, with the members who may access them.' },
  given: (subject: string, level: string, thing: string) =>
    `${subject}: ${level.toLowerCase()} permission for ${thing}.`,
  taken: (subject: string, thing: string) => `${subject} no longer has a permission for ${thing}.`,
  failed: 'The permission was not changed',
};
