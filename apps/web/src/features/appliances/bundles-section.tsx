import { mayCommand, readSupportBundles, type SupportBundle, type SupportBundleState } from '@flotilla/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import {
  Confirm,
  Digest,
  Empty,
  formatBytes,
  Loaded,
  Notice,
  type PlainColumn,
  PlainTable,
  ProgressBar,
  Section,
  State,
  sayDone,
  sayFailed,
  Time,
  type Tone,
} from '../../ui/index.ts';
import { texts } from './texts.ts';
import { explainOutcome, useBundleChange, useSupportBundles } from './use-appliance.ts';

const text = texts.bundles;

interface Look {
  readonly tone: Tone;
  readonly shape: 'full' | 'arc' | 'triangle' | 'square';
}

const LOOKS: Readonly<Record<SupportBundleState, Look>> = {
  RUNNING: { tone: 'busy', shape: 'arc' },
  READY: { tone: 'good', shape: 'full' },
  FAILED: { tone: 'bad', shape: 'triangle' },
  EXPIRED: { tone: 'quiet', shape: 'square' },
};

/** The support bundles of a host. Admins create, download and delete them. */
export function BundlesSection({ clientId }: { clientId: string }) {
  const { role } = useProject();
  const mayChange = mayCommand(role, 'APPLIANCE SUB_BUNDLE_CREATE');
  const query = useSupportBundles(clientId);
  const change = useBundleChange(clientId);
  const [isBusy, setBusy] = useState(false);
  const results = query.data?.body.results;
  const isRunning = readSupportBundles(results?.[0]?.result)?.some(({ state }) => state === 'RUNNING') ?? false;
  const create = async () => {
    setBusy(true);
    await change('SUB_BUNDLE_CREATE', { done: text.created }).then(sayDone, (error: unknown) =>
      sayFailed(text.createFailed, error),
    );
    setBusy(false);
  };
  const button = mayChange && (
    <Button variant="default" size="xs" loading={isBusy} disabled={isRunning} onClick={() => void create()}>
      {text.create}
    </Button>
  );
  return (
    <Section title={text.title} actions={button}>
      <Text size="sm" c="dimmed">
        {text.lead}
      </Text>
      <Loaded query={query} what={text.what} skeleton={3}>
        {({
          body: {
            results: [result],
          },
        }) => <BundleList clientId={clientId} result={result} mayChange={mayChange} />}
      </Loaded>
    </Section>
  );
}

interface BundleListProps {
  readonly clientId: string;
  readonly result: Parameters<typeof explainOutcome>[0];
  readonly mayChange: boolean;
}

function BundleList({ clientId, result, mayChange }: BundleListProps) {
  const bundles = result?.outcome === 'done' ? readSupportBundles(result.result) : undefined;
  if (!bundles)
    return (
      <Notice tone="bad" title={texts.failed}>
        {explainOutcome(result)}
      </Notice>
    );
  if (bundles.length === 0) return <Empty title={text.none}>{mayChange ? text.noneText : text.noneReader}</Empty>;
  const actions: PlainColumn<SupportBundle> = {
    id: 'actions',
    header: text.actions,
    isNarrow: true,
    cell: (bundle) => <BundleActions clientId={clientId} bundle={bundle} />,
  };
  return (
    <PlainTable
      name={text.title}
      rows={bundles}
      columns={mayChange ? [...COLUMNS, actions] : COLUMNS}
      rowId={({ id }) => id}
    />
  );
}

const COLUMNS: readonly PlainColumn<SupportBundle>[] = [
  { id: 'created', header: text.made, isNarrow: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'state', header: text.state, isNarrow: true, cell: (bundle) => <BundleState bundle={bundle} /> },
  { id: 'size', header: text.size, cell: ({ bytes }) => (bytes === undefined ? '–' : formatBytes(bytes)) },
  {
    id: 'digest',
    header: text.digest,
    cell: ({ sha256 }) => (sha256 === undefined ? '–' : <Digest digest={sha256} />),
  },
];

function BundleState({ bundle: { state, reason, progress, expiresAt } }: { bundle: SupportBundle }) {
  return (
    <Stack gap={2}>
      <State word={texts.states[state]} {...LOOKS[state]} />
      {state === 'RUNNING' && (
        <>
          <ProgressBar label={text.progress} percent={progress ? percentOf(progress) : 0} />
          <Text size="xs" c="dimmed" className="mono">
            {progress?.step ?? text.starting}
          </Text>
        </>
      )}
      {reason !== undefined && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      )}
      {expiresAt !== undefined && (
        <Text size="xs" c="dimmed">
          {text.until} <Time at={expiresAt} />
        </Text>
      )}
    </Stack>
  );
}

function percentOf({ done, total }: NonNullable<SupportBundle['progress']>): number {
  return total === 0 ? 0 : Math.min(100, Math.floor((100 * done) / total));
}

function BundleActions({ clientId, bundle: { id, state } }: { clientId: string; bundle: SupportBundle }) {
  const project = useProject();
  const can = useCan();
  const change = useBundleChange(clientId);
  const [isRemoving, setRemoving] = useState(false);
  const path = routes.appliance.downloadBundle.path.replace(':client_id', clientId).replace(':artifact_id', id);
  return (
    <Group gap="xs">
      {state === 'READY' && can(routes.appliance.downloadBundle) && (
        <Button
          component="a"
          size="compact-xs"
          href={`${path}?${new URLSearchParams({ project: project.id }).toString()}`}
          download
        >
          {text.download}
        </Button>
      )}
      {state !== 'RUNNING' && (
        <Button variant="default" size="compact-xs" onClick={() => setRemoving(true)}>
          {text.remove}
        </Button>
      )}
      <Confirm
        opened={isRemoving}
        title={text.removeTitle}
        action={text.remove}
        isDangerous
        onConfirm={() =>
          change('SUB_BUNDLE_DELETE', { command: { artifact_id: id }, done: text.removed }).then(sayDone)
        }
        onClose={() => setRemoving(false)}
      >
        {text.removeText}
      </Confirm>
    </Group>
  );
}
