import { Stack } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Empty, Loaded, Section } from '../../ui/index.ts';
import { TrafficRoom } from '../inventory/index.ts';
import { DraftView } from './draft-view.tsx';
import { SelectionForm } from './selection-form.tsx';
import { texts } from './texts.tsx';
import { useSelection } from './use-selection.ts';

const text = texts.draft;

/** Drafts a policy for what the URL selects. */
export function NewDraftPage() {
  const project = useProject();
  const selection = useSelection();
  const query = useApi(
    routes.policyDraft.suggest,
    { query: { project: project.id }, body: selection.body },
    { enabled: !selection.isEmpty },
  );
  return (
    <TrafficRoom title={text.title} lead={text.lead}>
      <Stack gap="xl">
        <Section title={text.selection}>
          <SelectionForm key={JSON.stringify(selection.body)} selection={selection} isBusy={query.isFetching} />
        </Section>
        {selection.isEmpty ? (
          <Empty title={text.nothingSelected}>{text.nothingSelectedText}</Empty>
        ) : (
          <Loaded query={query} what={text.what} skeleton={12}>
            {({ body }) => <DraftView draft={body} />}
          </Loaded>
        )}
      </Stack>
    </TrafficRoom>
  );
}
