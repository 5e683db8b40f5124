import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
  errorColumns: {
    columns: {
      severity: 'Severity',
      message: 'Message',
      type: 'Type',
      resource: 'Resource',
      client: 'Client',
      lastSeen: 'Last seen',
      firstSeen: 'First seen',
      count: 'Count',
    },
    state: {
      whyResolved: (severity: string, by: string | null) =>
        `Was ${severity}; resolved ${by === null ? 'automatically' : `by ${by}`}`,
      resolved: 'Resolved',
    },
  },
  errorDrawer: {
    drawer: {
      title: 'Configuration error',
      whatHelps: 'How to fix it',
      rawMessage: 'Original message',
      rawMessageName: 'message',
      state: 'State',
      type: 'Type',
      resource: 'Resource',
      client: 'Client',
      nodeId: 'Node ID',
      firstSeen: 'First seen',
      lastSeen: 'Last seen',
      seen: 'Seen',
      times: (times: number) => count(times, 'time'),
      resolved: 'Resolved',
      resolvedBy: 'Resolved by',
      resolve: 'Resolve',
      clear: 'Clear …',
    },
    client: {
      all: 'All: it could not be generated for any client',
    },
  },
  errorsTab: {
    severity: 'Severity',
    client: 'Client',
    resolvedDone: (errors: number) =>
      `${count(errors, 'error')} resolved. An error that occurs again becomes active again.`,
    resolveFailed: 'Nothing was resolved',
    clearedDone: (errors: number) => `${count(errors, 'error')} cleared.`,
    whichErrors: 'Which errors',
    active: 'Active',
    resolved: 'Resolved',
    all: 'All',
    resolveAll: (errors: ReactNode) => <>Resolve all {errors}</>,
    clearAll: (errors: ReactNode) => <>Clear all {errors} …</>,
    list: 'configuration errors',
    searches: 'Message, resource, node',
    emptyActive: 'No active errors',
    emptyTitle: 'No errors',
    empty: 'Errors reported by Envoy, the filter or the translation appear here, with the reason and how to fix them.',
    resolve: 'Resolve',
    clear: 'Clear …',
    clearTitle: (errors: number) => `Clear ${count(errors, 'error')}`,
    clearAction: 'Clear',
    clearConfirm:
      'The errors are deleted from the list. An error that occurs again is listed again. To keep them, resolve them instead.',
  },
};
