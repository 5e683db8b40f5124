import type { ReactNode } from 'react';

export const texts = {
  configurationTab: {
    needs: (names: string) => `needs ${names}`,
    tab: {
      emptyTitle: 'No configuration yet',
      empty: "Envoy's configuration is generated for each node. Deploy the service to a client to see it here.",
      node: 'Node',
      search: 'Search the configuration',
      searches: 'Name or content',
      download: 'Download',
      what: 'The configuration',
    },
    snapshot: {
      incomplete: 'Part of the configuration could not be generated',
      madeFor: (snapshot: ReactNode, version: ReactNode, count: ReactNode) => (
        <>
          Snapshot {snapshot} for Envoy {version}: {count} resources. Private values are hidden.
        </>
      ),
      contentOf: (name: string | number) => `Content of ${name}`,
      bootstrap: 'Bootstrap',
      contentOfBootstrap: 'Content of the bootstrap',
      envoyStartsWith: 'The configuration that Envoy starts with',
      bootstrapCode: 'bootstrap',
      nothingFound: 'No results.',
    },
  },
};
