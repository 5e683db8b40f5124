import type { ReactNode } from 'react';

export const errors = {
  errorColumns: {
    listErrorColumns: {
      headerSeverity: 'Severity',
      headerMessage: 'Message',
      headerType: 'Type',
      headerResource: 'Resource',
      headerClient: 'Client',
      headerLastSeen: 'Last seen',
      headerFirstSeen: 'First seen',
      headerCount: 'Count',
    },
    errorState: {
      whyResolved: (severity: string, by: string | null) => `Was ${severity}; resolved by ${by ?? 'itself'}`,
      word: 'Resolved',
    },
  },
  errorDrawer: {
    errorDrawer: {
      title: 'Configuration error',
      titleHelps: 'What helps',
      text: 'In the words of whoever complained',
      what: 'message',
      factState: 'State',
      factType: 'Type',
      factResource: 'Resource',
      factClient: 'Client',
      factNodeId: 'Node id',
      factFirstSeen: 'First seen',
      factLastSeen: 'Last seen',
      factSeen: 'Seen',
      factResolved: 'Resolved',
      factResolved2: 'Resolved by',
      button: 'Resolve',
      buttonClear: 'Clear …',
    },
    errorClient: {
      text: 'All: it could not be made for any',
    },
  },
  errorsTab: {
    labelSeverity: 'Severity',
    labelClientId: 'Client',
    done: (changed: string | number) => `${changed} resolved. One that occurs again is active again.`,
    failed: 'Nothing was resolved',
    doneCleared: (changed: string | number) => `${changed} cleared.`,
    ariaLabel: 'Which errors',
    labelActive: 'Active',
    labelResolved: 'Resolved',
    labelAll: 'All',
    button: (count: ReactNode) => <>Resolve all {count}</>,
    buttonClearAll: (count: ReactNode) => <>Clear all {count} …</>,
    list: 'configuration errors',
    searches: 'Message, resource, node',
    titleNoActive: 'No active errors',
    titleNoErrors: 'No errors',
    empty:
      'What Envoy or the filter refuses, and what could not be translated, is listed here with the reason and what helps.',
    buttonResolve: 'Resolve',
    buttonClear: 'Clear …',
    title: (count: string | number) => `Clear ${count} error records`,
    action: 'Clear',
    confirm:
      'The records are deleted. What is still wrong is recorded anew when it happens again. To keep them, resolve them instead.',
  },
};
