import { count } from '../../ui/count.ts';

export const texts = {
  title: 'Storage',
  lead: 'The size of the database and how fast it grows.',
  what: 'The storage statistics',
  full: {
    soon: (days: string) => `At this rate the disk is full in ${days}.`,
    never: 'The database is not growing.',
    unknownDisk: 'The database is on another host. Its free disk space is not known here.',
    tooEarly: 'A forecast needs 24 hours of data. Measurement began when the controller started.',
    title: 'The disk is nearly full',
    text: 'When it is full, every change is refused; proxies keep running with their last configuration. Free up space, or shorten the retention of the audit log and events.',
  },
  facts: {
    database: 'Database',
    data: 'Table data',
    indexes: 'Indexes',
    free: 'Free disk space',
    perDay: 'Growth per day',
    perWeek: 'Growth per week',
    until: 'Full in',
    measured: 'Measured',
  },
  of: (free: string, total: string) => `${free} of ${total}`,
  days: (days: number) =>
    days < 1 ? 'less than a day' : days > 3650 ? 'more than ten years' : count(Math.floor(days), 'day'),
  tables: 'Tables',
  table: 'Table',
  size: 'Size',
  share: 'Share',
  rows: 'Rows (estimate)',
};
