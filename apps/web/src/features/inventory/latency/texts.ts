import { count } from '../../../ui/count.ts';

export const texts = {
  title: 'Latency of the requests',
  what: 'The latency map',
  grid: 'Requests by time and latency. The arrow keys move between cells, Enter shows the requests of a cell.',
  hint: 'Each cell counts the requests of a time and a latency. Select one to see them.',
  cell: (when: string, latency: string, requests: string) => `${when}, ${latency}: ${requests}`,
  requests: (number: number) => count(number, 'request'),
  none: 'no requests',
  lost: 'not known, because requests were lost',
  upTo: (to: string) => `up to ${to}`,
  over: (from: string) => `over ${from}`,
  between: (from: string, to: string) => `${from} to ${to}`,
  microseconds: (value: number) => `${value} µs`,
  table: 'Table',
  chart: 'Chart',
  few: 'few',
  most: (number: number) => `${count(number, 'request')} in a cell`,
};
