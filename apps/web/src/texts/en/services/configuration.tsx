import type { ReactNode } from 'react';

export const configuration = {
  configurationTab: {
    needs: (names: string) => `needs ${names}`,
    configurationTab: {
      title: 'Nothing is generated yet',
      empty: "Envoy's configuration is made for each node. Deploy the service to a client, and it is shown here.",
      ariaLabel: 'Node',
      ariaLabelSearchConfiguration: 'Search the configuration',
      placeholder: 'Name or content',
      button: 'Download',
      what: 'The configuration',
    },
    snapshotView: {
      title: 'Some of it could not be made',
      text: (span: ReactNode, version: ReactNode, count: ReactNode) => (
        <>
          Snapshot {span} for Envoy {version}: {count} resources. Private values are left out.
        </>
      ),
      label: (name: string | number) => `Content of ${name}`,
      titleBootstrap: 'Bootstrap',
      labelContentBootstrap: 'Content of the bootstrap',
      textEnvoyStarted: 'What Envoy is started with',
      labelBootstrap: 'bootstrap',
      textNothingHolds: 'Nothing holds this text.',
    },
  },
};
