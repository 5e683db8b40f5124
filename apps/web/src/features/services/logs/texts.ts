import { count } from '../../../ui/count.ts';

export const texts = {
  logsTab: {
    sources: {
      envoy: 'Envoy',
      shield: 'Filter',
    },
    tab: {
      emptyTitle: 'No logs yet',
      empty: 'Envoy and the filter write logs on each client. Deploy the service to a client first.',
      whichLogs: 'Which logs',
      program: 'Program',
      lineCount: 'Number of lines',
      filterLines: 'Filter lines',
      linesThatHold: 'Lines that contain …',
      follow: 'Follow',
      wrap: 'Wrap',
      refresh: 'Refresh',
      notConnected: 'The client is not connected',
      notConnectedText:
        'You can read its logs after it reconnects. On the host, they are in the folder of the service.',
      what: 'The logs',
    },
    answer: {
      noLogs: 'The client returned no logs',
      outcomeIs: (outcome: string | number) => `Outcome: ${outcome}.`,
      unknownOutcome: 'unknown',
      nothingLogged: 'Nothing was logged',
      whyNothingLogged: 'The program has not run here, or its log was just rotated.',
      logOf: (source: string | number) => `Log of ${source}`,
      lines: (lines: number) => count(lines, 'line'),
      linesOf: (shown: string | number, total: string | number) => `${shown} of ${total} lines`,
      following: ', following',
      readAt: ', read ',
      download: 'Download',
    },
  },
};
