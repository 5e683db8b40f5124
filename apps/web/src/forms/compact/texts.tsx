import { count } from '../../ui/count.ts';

export const texts = {
  view: {
    layout: (label: string) => `Layout of ${label}`,
    compact: 'Compact',
    full: 'All fields',
    refused: (reason: string) => `The compact editor cannot show this. ${reason}`,
    secrets: 'The items contain stored secrets, which belong to their positions.',
  },
  rows: {
    others: (names: readonly string[]) => `Also set: ${names.join(', ')}.`,
    more: 'Show more',
    shown: (shown: number, all: number) => `${shown} of ${all}`,
  },
  endpoints: {
    row: (number: number) => `Endpoint ${number}`,
    host: 'Host',
    port: 'Port',
    weight: 'Weight',
    cell: (cell: string, number: number) => `${cell} of endpoint ${number}`,
    remove: (number: number) => `Remove endpoint ${number}`,
    add: 'Add endpoint',
    lead: 'Paste lines of host:port:weight into a host to add many endpoints. The weight is optional, and an IPv6 address is in brackets.',
    group: (names: readonly string[]) => `Settings of the group that are not shown here: ${names.join(', ')}.`,
    pasted: (number: number) => `${count(number, 'endpoint')} pasted.`,
    tooMany: (max: number) => `Nothing was pasted: the text has more than ${max} lines.`,
  },
  routes: {
    row: (number: number) => `Route ${number}`,
    headings: { kind: 'Kind of match', match: 'Match', cluster: 'Cluster' },
    kinds: {
      prefix: 'Prefix',
      path: 'Path',
      path_separated_prefix: 'Path separated prefix',
      safe_regex: 'Regex',
    },
    kind: (number: number) => `Kind of match of route ${number}`,
    match: (number: number) => `Match of route ${number}`,
    cluster: (number: number) => `Cluster of route ${number}`,
    up: (number: number) => `Move route ${number} up`,
    down: (number: number) => `Move route ${number} down`,
    remove: (number: number) => `Remove route ${number}`,
    add: 'Add route',
    lead: 'Alt and an arrow key move a route.',
    moved: (from: number, to: number) => `Route ${from} is now route ${to}.`,
    shadowed: (number: number) => `Route ${number} matches every path before this one.`,
  },
};
