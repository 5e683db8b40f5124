import { Button, Group, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Loaded, Section, Time } from '../../../ui/index.ts';
import { toDraft } from '../editing/draft.ts';
import type { WholeService } from '../types.ts';
import { ChangeList } from './change-list.tsx';
import { Code, FormatChoice } from './code.tsx';
import { diffJson } from './diff.ts';
import { texts } from './texts.tsx';

const text = texts.revisionView;

interface RevisionViewProps {
  readonly service: WholeService;
  readonly revision: number;
  readonly actions: ReactNode;
  readonly onClose: () => void;
}

/** Shows one revision: its changes, the difference to the current one, or its full text (`?with=`). */
export function RevisionView({ service, revision, actions, onClose }: RevisionViewProps) {
  const project = useProject();
  const url = useUrlState();
  const input = (number: number) => ({
    params: { service_id: service.id, revision: number },
    query: { project: project.id },
  });
  const query = useApi(routes.service.revision, input(revision));
  const before = useApi(routes.service.revision, input(revision - 1), { enabled: revision > 1 });
  const compared = url.get('with') ?? 'before';
  const current = { ...toDraft(service) };
  return (
    <Section
      title={text.title(revision)}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={text.show}
            value={compared}
            onChange={(value) => url.set({ with: value === 'before' ? undefined : value })}
            data={[
              { value: 'before', label: text.before },
              { value: 'current', label: text.current },
              { value: 'whole', label: text.whole },
            ]}
          />
          {compared === 'whole' && <FormatChoice />}
          {actions}
          <Button variant="default" onClick={onClose}>
            {text.backToCurrent}
          </Button>
        </Group>
      }
    >
      <Loaded query={query} what={text.title(revision)} skeleton={6}>
        {({ body }) => {
          const { project: _, ...document } = body.document;
          return (
            <>
              <p style={{ margin: 0 }}>{text.madeBy(<Time at={body.at} />, <bdi>{body.by}</bdi>)}</p>
              {compared === 'whole' && <Code value={document} label={text.code(revision)} />}
              {compared === 'current' && <ChangeList label={text.current} changes={diffJson(document, current)} />}
              {compared === 'before' &&
                (revision === 1 ? (
                  <ChangeList label={text.before} changes={diffJson({}, document)} />
                ) : (
                  <Loaded query={before} what={text.revisionBefore(revision - 1)} skeleton={3}>
                    {(older) => (
                      <ChangeList label={text.before} changes={diffJson(older.body.document, body.document)} />
                    )}
                  </Loaded>
                ))}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
