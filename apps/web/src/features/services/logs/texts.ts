export const texts = {
  logsTab: {
    emptyTitle: 'No logs yet',
    empty: 'Envoy and the filter write logs on each client. Deploy the service to a client first.',
  },
};
