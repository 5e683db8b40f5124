export const permissions = {
  title: 'Permissions',
  lead: 'What editors and viewers reach in this project. Owners and admins reach everything; the role says how far anybody may go.',
  tabs: 'Kinds of things',
  kinds: { document: 'Documents', policy: 'Policies', service: 'Services', client: 'Clients' },
  access: {
    title: 'Reach',
    what: 'The reach of members',
    open: {
      title: 'Open: every member reaches everything',
      text: 'What is given below is kept, and counts when the project lists what its members reach.',
      action: 'List what they reach',
    },
    listed: {
      title: 'Listed: editors and viewers reach what they are given',
      text: 'Whatever else there is does not exist for them: no list, search, count or message tells of it. Who makes a thing may change it.',
      action: 'Open to all members',
    },
    confirm: {
      listed: {
        title: 'List what editors and viewers reach?',
        text: 'From their next request on they reach what they or their groups are given, and no more. API tokens that they were given follow.',
      },
      open: {
        title: 'Open the project to all members?',
        text: 'From their next request on editors and viewers reach everything, as far as their role goes.',
      },
    },
    done: { listed: 'Editors and viewers reach what they are given.', open: 'Every member reaches everything.' },
  },
  subjects: {
    label: 'Members and groups',
    hint: 'Whose permissions are shown, one column each. Type a part of a name to find others.',
    notFound: 'No other group or member of this name reaches less than everything',
    group: (name: string) => `Group ${name}`,
    none: 'Nobody to give anything to',
    noneHint: 'Owners and admins reach everything. Add an editor or viewer to the project, or make a group.',
  },
  everything: {
    title: 'Everything of the kind',
    text: 'Also what is made later. A permission on one thing adds to it.',
  },
  levels: { none: 'None', view: 'View', use: 'Use', change: 'Change' },
  cell: (subject: string, thing: string) => `What ${subject} may do with ${thing}`,
  all: (kind: string) => `all ${kind.toLowerCase()}`,
  name: 'Name',
  place: 'Where',
  searches: 'Name',
  empty: { title: 'Nothing of this kind yet', text: 'What is made shows here, with who may reach it.' },
  given: (subject: string, level: string, thing: string) => `${subject}: ${level.toLowerCase()} on ${thing}.`,
  taken: (subject: string, thing: string) => `${subject} has no permission on ${thing} any more.`,
  failed: 'The permission was not changed',
};
