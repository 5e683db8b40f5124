import type { ReactNode } from 'react';

export const errors = {
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
      whyResolved: (severity: string, by: string | null) => `Was ${severity}; resolved by ${by ?? 'itself'}`,
      resolved: 'Resolved',
    },
  },
  errorDrawer: {
    drawer: {
      title: 'Configuration error',
      whatHelps: 'What helps',
      rawMessage: 'In the words of whoever complained',
      rawMessageName: 'message',
      state: 'State',
      type: 'Type',
      resource: 'Resource',
      client: 'Client',
      nodeId: 'Node id',
      firstSeen: 'First seen',
      lastSeen: 'Last seen',
      seen: 'Seen',
      resolved: 'Resolved',
      resolvedBy: 'Resolved by',
      resolve: 'Resolve',
      clear: 'Clear …',
    },
    client: {
      all: 'All: it could not be made for any',
    },
  },
  errorsTab: {
    severity: 'Severity',
    client: 'Client',
    resolvedDone: (changed: string | number) => `${changed} resolved. One that occurs again is active again.`,
    resolveFailed: 'Nothing was resolved',
    clearedDone: (changed: string | number) => `${changed} cleared.`,
    whichErrors: 'Which errors',
    active: 'Active',
    resolved: 'Resolved',
    all: 'All',
    resolveAll: (count: ReactNode) => <>Resolve all {count}</>,
    clearAll: (count: ReactNode) => <>Clear all {count} …</>,
    list: 'configuration errors',
    searches: 'Message, resource, node',
    emptyActive: 'No active errors',
    emptyTitle: 'No errors',
    empty:
      'What Envoy or the filter refuses, and what could not be translated, is listed here with the reason and what helps.',
    resolve: 'Resolve',
    clear: 'Clear …',
    clearTitle: (count: string | number) => `Clear ${count} error records`,
    clearAction: 'Clear',
    clearConfirm:
      'The records are deleted. What is still wrong is recorded anew when it happens again. To keep them, resolve them instead.',
  },
};
