import { Stack } from '@mantine/core';
import { Notice } from '../../ui/index.ts';
import { BundlesSection } from './bundles-section.tsx';
import { StatusSections } from './status-sections.tsx';
import { texts } from './texts.ts';

/** Shows the status of a host and its support bundles. Queries the agent when it opens. */
export function ApplianceTab({ client }: { client: { readonly client_id: string; readonly connected: boolean } }) {
  if (!client.connected)
    return (
      <Notice tone="quiet" title={texts.offline}>
        {texts.offlineText}
      </Notice>
    );
  return (
    <Stack gap="lg">
      <BundlesSection clientId={client.client_id} />
      <StatusSections clientId={client.client_id} />
    </Stack>
  );
}
