import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

const endpoints = (number: number) => count(number, 'endpoint');

export const texts = {
  button: 'Clean up',
  scope: 'Endpoints',
  scopes: { all: 'All of the project, in both catalogs', filtered: 'Those that the filters show' },
  days: 'Days without a request',
  counting: 'The number of endpoints',
  tooMany: (most: number) => `The filters show more than ${most} endpoints. Narrow them, or choose all.`,
  audited: 'The audit log names you and the number of endpoints.',
  nothing: 'No endpoint matches, so there is nothing to do.',
  actions: {
    reset: {
      item: 'Reset endpoints …',
      title: 'Reset endpoints',
      action: 'Reset',
      affected: (number: number) => `${endpoints(number)} will be reset.`,
      consequences: [
        'Counters, scores, flags, sensitive data and evidence of authentication begin again at zero.',
        'Names, first times and confirmations stay, and so do the stored requests.',
        'New traffic brings back what still holds.',
      ],
      done: (number: number) => `${endpoints(number)} reset`,
    },
    delete: {
      item: 'Delete endpoints …',
      title: 'Delete endpoints',
      action: 'Delete',
      affected: (number: number) => `${endpoints(number)} will be deleted.`,
      consequences: [
        'Their counters, first times and flags are lost. This cannot be undone.',
        'An endpoint with traffic returns with its next request, as a new one.',
        'The stored requests stay.',
      ],
      done: (number: number) => `${endpoints(number)} deleted`,
    },
    stale: {
      item: 'Delete stale endpoints …',
      title: 'Delete stale endpoints',
      action: 'Delete',
      affected: (number: number) => `${endpoints(number)} without a request in that time will be deleted.`,
      consequences: [
        'Both catalogs are cleaned up. This cannot be undone.',
        'An endpoint returns with its next request, as a new one.',
      ],
      done: (number: number) => `${endpoints(number)} deleted`,
    },
    rebaseline: {
      item: 'Reset all scores …',
      title: 'Reset all scores',
      action: 'Reset scores',
      affected: (number: number) => `The scores of ${endpoints(number)} will be set to zero.`,
      consequences: [
        'Scores, flags and evidence of authentication of the whole project begin again at zero.',
        'Counters stay. New traffic brings back the flags that still hold.',
      ],
      done: (number: number) => `Scores of ${endpoints(number)} reset`,
    },
  },
  since: (at: ReactNode) => <>They were last seen before {at}.</>,
};
