import type { ReactNode } from 'react';

export const configuration = {
  configurationTab: {
    needs: (names: string) => `needs ${names}`,
    tab: {
      emptyTitle: 'Nothing is generated yet',
      empty: "Envoy's configuration is made for each node. Deploy the service to a client, and it is shown here.",
      node: 'Node',
      search: 'Search the configuration',
      searches: 'Name or content',
      download: 'Download',
      what: 'The configuration',
    },
    snapshot: {
      incomplete: 'Some of it could not be made',
      madeFor: (snapshot: ReactNode, version: ReactNode, count: ReactNode) => (
        <>
          Snapshot {snapshot} for Envoy {version}: {count} resources. Private values are left out.
        </>
      ),
      contentOf: (name: string | number) => `Content of ${name}`,
      bootstrap: 'Bootstrap',
      contentOfBootstrap: 'Content of the bootstrap',
      envoyStartsWith: 'What Envoy is started with',
      bootstrapCode: 'bootstrap',
      nothingFound: 'Nothing holds this text.',
    },
  },
};
