import { Stack } from '@mantine/core';
import { Notice } from '../../ui/index.ts';
import { ShipperSection } from './shipper-section.tsx';
import { SyslogSection } from './syslog-section.tsx';
import { texts } from './texts.ts';

/** Where a host sends its logs. Queries the agent when it opens. */
export function ForwardingTab({ client }: { client: { readonly client_id: string; readonly connected: boolean } }) {
  if (!client.connected)
    return (
      <Notice tone="quiet" title={texts.offline}>
        {texts.offlineText}
      </Notice>
    );
  return (
    <Stack gap="lg">
      <SyslogSection clientId={client.client_id} />
      <ShipperSection clientId={client.client_id} />
    </Stack>
  );
}
