export const storage = {
  title: 'Storage',
  lead: 'What the database holds, and how fast it grows.',
  what: 'The storage statistics',
  full: {
    soon: (days: string) => `At this rate the disk is full in ${days}.`,
    never: 'It does not grow.',
    unknownDisk: 'The database is on another host: how much room is left there is not known here.',
    tooEarly:
      'Nothing is foretold from less than a day of measurements; the first one was taken when the controller started.',
    title: 'The disk is nearly full',
    text: 'When it is full every change is refused, and the proxies run on with what they have. Make room, or shorten how long the audit log and events are kept.',
  },
  facts: {
    database: 'Database',
    data: 'Rows in it',
    indexes: 'Indexes in it',
    free: 'Free on the disk',
    perDay: 'Growth in a day',
    perWeek: 'Growth in a week',
    until: 'Full in',
    measured: 'Measured',
  },
  of: (free: string, total: string) => `${free} of ${total}`,
  days: (days: number) =>
    days < 1 ? 'less than a day' : days > 3650 ? 'more than ten years' : `${Math.floor(days)} days`,
  tables: 'Tables',
  table: 'Table',
  size: 'Size',
  share: 'Share',
  rows: 'Rows, about',
};
