import type { ReleaseKind } from '@flotilla/contract';
import { Stack } from '@mantine/core';
import { Notice, Page, UrlTabs } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { HostVersions } from './host-versions.tsx';
import { Releases } from './releases.tsx';
import { texts } from './texts.ts';
import { useHosts } from './use-hosts.ts';
import { useVersionCommand } from './use-version-command.ts';

const KINDS: readonly ReleaseKind[] = ['envoy', 'waf'];

/** The releases of the archive and the versions on the hosts; `?tab=waf` shows those of the WAF module. */
export function VersionsPage() {
  const tabs = KINDS.map((id) => ({ id, label: texts.kinds[id], content: () => <Versions kind={id} /> }));
  return (
    <Page title={texts.title} lead={texts.lead}>
      <UrlTabs label={texts.kinds.label} tabs={tabs} />
    </Page>
  );
}

function Versions({ kind }: { kind: ReleaseKind }) {
  const hosts = useHosts(kind);
  const { send, undone } = useVersionCommand(kind);
  return (
    <Stack gap="lg">
      {undone.length > 0 && (
        <Notice tone="warn" title={texts.outcome.failed}>
          <ul className={layout.names}>
            {undone.map(({ client_id, client_name, outcome, error }) => (
              <li key={client_id}>
                {texts.outcome.line(client_name ?? client_id, outcome, error?.message ?? texts.hosts.noReason)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Releases kind={kind} hosts={hosts} send={send} />
      <HostVersions kind={kind} hosts={hosts} send={send} />
    </Stack>
  );
}
