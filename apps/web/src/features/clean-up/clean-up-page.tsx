import type { CleanUpMode } from '@flotilla/contract';
import { Select, Stack } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded, Page, Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { Kept } from './kept.tsx';
import { Preview } from './preview.tsx';
import { texts } from './texts.ts';

const text = texts;
const MODES: readonly CleanUpMode[] = ['all', 'default-only', 'non-default-only'];

/** `?version=<version>` and `?mode=<mode>` select the preview. */
export function CleanUpPage() {
  const project = useProject();
  const found = useApi(routes.version.list, { query: { project: project.id } }, { topics: ['document', 'service'] });
  return (
    <Page title={text.title} lead={text.lead}>
      <Section title={text.choose}>
        <Loaded query={found} what={text.version}>
          {({ body }) => <Choice versions={body.items.filter(({ documents }) => documents > 0)} />}
        </Loaded>
      </Section>
      <Kept />
    </Page>
  );
}

interface OfVersion {
  readonly version: string;
  readonly documents: number;
  readonly services: number;
}

function Choice({ versions }: { versions: readonly OfVersion[] }) {
  const url = useUrlState();
  const asked = url.get('version');
  const chosen = versions.find(({ version }) => version === asked) ?? versions.at(-1);
  const mode = toMode(url.get('mode'));
  if (!chosen) return <p className={layout.note}>{text.noVersion}</p>;
  return (
    <Stack gap="md">
      <Select
        label={text.version}
        description={text.versionHint(chosen.documents, chosen.services)}
        data={versions.map(({ version }) => version)}
        allowDeselect={false}
        value={chosen.version}
        onChange={(version) => url.set({ version: version ?? undefined })}
      />
      <Select
        label={text.mode}
        data={MODES.map((value) => ({ value, label: text.modes[value] }))}
        allowDeselect={false}
        value={mode}
        onChange={(value) => url.set({ mode: toMode(value) })}
      />
      <Preview version={chosen.version} mode={mode} />
    </Stack>
  );
}

function toMode(value: string | null | undefined): CleanUpMode {
  return MODES.find((one) => one === value) ?? 'all';
}
